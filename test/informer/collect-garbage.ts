/** Collects all garbage at once, so that a test can tell what is still in use from what has only not been collected yet. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** V8 gives its collector to contexts that are made while this flag is set. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as () => void;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}

export const collectGarbage: () => void = collector();
