/** The reconciles of one controller, or of the objects with a text in their names, as far as the process remembers them. */
import { useContext } from "preact/hooks";
import type { RunLine } from "../../../src/dashboard/wire.js";
import { useAsk } from "./ask.js";
import { momentQuery, ShownMoment } from "./moment.js";
import type { Watched } from "./store.js";

export interface RunsAsked {
  readonly controller?: string;
  readonly text?: string;
}

const none: readonly RunLine[] = [];

/** The stream of a busy process has a few of its reconciles; the journal has the others. Oldest first. */
export function useRuns({ runs, controllers }: Watched, asked: RunsAsked): readonly RunLine[] {
  const { controller = "", text = "" } = asked;
  const { until = "" } = momentQuery(useContext(ShownMoment));
  const given = Object.entries({ controller, text, until }).filter(([, value]) => value !== "");
  const isAsked = controller !== "" || text !== "";
  const version = controller === "" ? runs : (controllers.get(controller)?.runs ?? 0);
  const { answer } = useAsk<readonly RunLine[]>(
    isAsked ? `runs?${new URLSearchParams(given).toString()}` : undefined,
    until === "" ? version : 0,
  );
  return isAsked ? (answer ?? none) : runs;
}
