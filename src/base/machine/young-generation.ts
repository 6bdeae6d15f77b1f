/** Collects the youngest garbage at a moment of the caller's choice. For those who take in much that stays. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects everything that is garbage, or only the youngest. */
export type Collector = (options?: { readonly type: "minor" }) => void;

let collector: Collector | undefined;

/**
 * V8 collects the young generation when it is full, and then copies what is still in use: with 16 MB of objects that all stay,
 * that takes as long as the loop may at most be held. Called more often it takes a fraction each time, and no longer in sum.
 * Does nothing on an engine that does not let itself be asked.
 */
export function collectYoung(): void {
  collector ??= engineCollector() ?? (() => {});
  collector({ type: "minor" });
}

/** V8 shows its collector to contexts that are made while this flag is set; ours is the only one. */
export function engineCollector(): Collector | undefined {
  if (globalThis.gc !== undefined) return globalThis.gc as Collector;
  try {
    setFlagsFromString("--expose-gc");
    return runInNewContext("gc") as Collector;
  } catch {
    return undefined;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
