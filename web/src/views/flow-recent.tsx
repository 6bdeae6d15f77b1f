/** The newest reconciles, each with the times between its stations; those of one object if a text is given. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ControllerLine, RunLine, Tone } from "../../../src/dashboard/wire.js";
import { isKind, millis, timeOfDay } from "../parts/format.js";
import { Empty, Mark } from "../parts/small.js";
import { href } from "../state/route.js";

const shown = 7;
const shownOfOne = 14;

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
  const newest = isAll ? runs.slice(-shown).reverse() : runs.slice(-shownOfOne);
  const writers = useMemo(() => writersOf(runs), [runs]);
  return (
    <section class="recent" aria-label="the newest reconciles">
      <h2>{text === "" ? "Newest reconciles" : `The way of ${text}`}</h2>
      {newest.length === 0 ? (
        <Empty title={text === "" ? "No reconcile yet" : "No remembered reconcile has this text"}>
          {text === ""
            ? "Create or change an object, and its reconciles appear here."
            : "Another program may look after it, or the journal has forgotten it. Change the object, and its way appears here."}
        </Empty>
      ) : (
        <ol>
          {newest.map((run) => (
            <RunRow
              key={`${run.controller}#${run.run}${run.result}`}
              run={run}
              kind={controllers.get(run.controller)?.kind ?? ""}
              heard={isAll ? undefined : heardFrom(run, writers)}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

interface Heard {
  /** The run that wrote the change. */
  readonly writer: string;
  /** From the server's answer to that run until the key was queued here: the watch, the cache and the listener. */
  readonly ms: number;
}

interface Write {
  readonly writer: string;
  readonly at: number;
}

function writersOf(runs: readonly RunLine[]): ReadonlyMap<string, Write> {
  const writers = new Map<string, Write>();
  for (const { controller, run, wrote } of runs)
    for (const { change, at } of wrote) writers.set(change, { writer: `${controller} #${run}`, at });
  return writers;
}

/** Undefined for a run that no change woke; "elsewhere" if no remembered run wrote the change. */
function heardFrom(
  { wokenBy, startedAt, waitedMs }: RunLine,
  writers: ReadonlyMap<string, Write>,
): Heard | "elsewhere" | undefined {
  for (const change of wokenBy) {
    const write = writers.get(change);
    if (write !== undefined) return { writer: write.writer, ms: Math.max(0, startedAt - waitedMs - write.at) };
  }
  return wokenBy.length === 0 ? undefined : "elsewhere";
}

interface RunRowProps {
  readonly run: RunLine;
  readonly kind: string;
  readonly heard: Heard | "elsewhere" | undefined;
}

function RunRow({ run, kind, heard }: RunRowProps): JSX.Element {
  const [name = "", namespace = ""] = run.key.split("/").reverse();
  return (
    <li class={resultTones[run.result]}>
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
