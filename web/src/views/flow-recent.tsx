/** The newest reconciles, each with the times between its stations; those of one object if a text is given. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ControllerLine, RunLine, Tone } from "../../../src/dashboard/wire.js";
import { isKind, millis, timeOfDay } from "../parts/format.js";
import { Empty, Mark } from "../parts/small.js";
import { href } from "../state/route.js";
import { type Heard, heardFrom, isAfterPause, wayOf, writersOf } from "./way.js";

const shown = 7;

export interface RecentProps {
  readonly runs: readonly RunLine[];
  readonly controllers: ReadonlyMap<string, ControllerLine>;
  /** The text in the names of the objects that the runs concern; "" for all runs. */
  readonly text: string;
}

export const resultTones: Readonly<Record<RunLine["result"], Tone>> = {
  done: "good",
  gone: "none",
  paused: "none",
  failed: "bad",
  dead: "bad",
  overdue: "busy",
};

export function Recent({ runs, controllers, text }: RecentProps): JSX.Element {
  const isAll = text === "";
  // the newest of all are news; the way of one object is a story, told from its beginning
  const newest = useMemo(() => (isAll ? runs.slice(-shown).reverse() : wayOf(runs)), [runs, isAll]);
  const writers = useMemo(() => writersOf(runs), [runs]);
  return (
    <section class={`recent${isAll ? "" : " way"}`} aria-label="the newest reconciles">
      <h2>{isAll ? "Newest reconciles" : `The way of ${text}`}</h2>
      {newest.length === 0 ? (
        <Empty title={isAll ? "No reconcile yet" : "No remembered reconcile has this text"}>
          {isAll
            ? "Create or change an object, and its reconciles appear here."
            : "Another program may look after it, or the journal has forgotten it. Change the object, and its way appears here."}
        </Empty>
      ) : (
        <ol tabIndex={isAll ? undefined : 0}>
          {newest.map((run, i) => (
            <RunRow
              key={`${run.controller}#${run.run}${run.result}`}
              run={run}
              kind={controllers.get(run.controller)?.kind ?? ""}
              heard={isAll ? undefined : heardFrom(run, writers)}
              begins={!isAll && i > 0 && isAfterPause(run, newest[i - 1])}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

interface RunRowProps {
  readonly run: RunLine;
  readonly kind: string;
  readonly heard: Heard | "elsewhere" | undefined;
  /** True after a pause: another story begins here. */
  readonly begins: boolean;
}

function RunRow({ run, kind, heard, begins }: RunRowProps): JSX.Element {
  const [name = "", namespace = ""] = run.key.split("/").reverse();
  return (
    <li class={`${resultTones[run.result]}${begins ? " begins" : ""}`}>
      <Mark tone={resultTones[run.result]} title={run.result} />
      <time>{timeOfDay(run.startedAt)}</time>
      <span class="who">{run.controller}</span>
      {isKind(kind) ? (
        <a class="key" href={href("why", { kind, namespace, name })}>
          {run.key}
        </a>
      ) : (
        <span class="key">{run.key}</span>
      )}
      <span class="because" title={run.because}>
        {heard !== undefined && <b>{heard === "elsewhere" ? "written elsewhere" : `${heard.writer} wrote it`} · </b>}
        {run.because}
      </span>
      <span
        class="times"
        title="from the write to the queue, by the watch, the cache and a listener; in the queue; in the reconciler; its writes"
      >
        <span class="waits">
          {typeof heard === "object" && `watch ${millis(heard.ms)} → `}queue {millis(run.waitedMs)} →{" "}
        </span>
        run {millis(run.durationMs)}
        <b>{run.writes > 0 ? ` → ${run.writes} write${run.writes > 1 ? "s" : ""}` : ""}</b>
      </span>
    </li>
  );
}
