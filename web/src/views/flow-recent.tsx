/** The newest reconciles, each with the times between its stations; those of one object if a text is given. */
import type { JSX } from "preact";
import type { ControllerLine, RunLine, Tone } from "../../../src/dashboard/wire.js";
import { millis, timeOfDay } from "../parts/format.js";
import { Empty, Mark } from "../parts/small.js";
import { href } from "../state/route.js";

const shown = 7;

export interface RecentProps {
  readonly runs: readonly RunLine[];
  readonly controllers: ReadonlyMap<string, ControllerLine>;
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
  const found = text === "" ? runs : runs.filter(({ key, because }) => key.includes(text) || because.includes(text));
  const newest = found.slice(-shown).reverse();
  return (
    <section class="recent" aria-label="the newest reconciles">
      <h2>{text === "" ? "Newest reconciles" : `The way of ${text}`}</h2>
      {newest.length === 0 ? (
        <Empty title={text === "" ? "No reconcile yet" : "No remembered reconcile has this text"}>
          Create or change an object, and its reconciles appear here.
        </Empty>
      ) : (
        <ol>
          {newest.map((run) => (
            <RunRow
              key={`${run.controller}#${run.run}${run.result}`}
              run={run}
              kind={controllers.get(run.controller)?.kind ?? ""}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

function RunRow({ run, kind }: { readonly run: RunLine; readonly kind: string }): JSX.Element {
  const [name = "", namespace = ""] = run.key.split("/").reverse();
  return (
    <li class={resultTones[run.result]}>
      <Mark tone={resultTones[run.result]} title={run.result} />
      <time>{timeOfDay(run.startedAt)}</time>
      <span class="who">{run.controller}</span>
      <a class="key" href={href("why", { kind, namespace, name })}>
        {run.key}
      </a>
      <span class="because" title={run.because}>
        {run.because}
      </span>
      <span class="times" title="waited in the queue → ran → wrote">
        {millis(run.waitedMs)} → {millis(run.durationMs)}
        <b>{run.writes > 0 ? ` → ${run.writes} write${run.writes > 1 ? "s" : ""}` : ""}</b>
      </span>
    </li>
  );
}
