/** One lane of the flow: the stations of one informer. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Lane, Tone } from "../../../src/dashboard/wire.js";
import { ago, bytes, count, groupOf, rate } from "../parts/format.js";
import { Mark, Spark } from "../parts/small.js";
import { href } from "../state/route.js";
import { store } from "../state/store.js";

export interface LaneRowProps {
  readonly lane: Lane;
  readonly now: number;
  readonly shade: string;
  readonly onPoint: () => void;
}

/** Drawn again only if something of it has changed: the stream moves some lanes ten times a second. */
export function LaneRow(props: LaneRowProps): JSX.Element {
  return useMemo(() => <LaneStations {...props} />, [props.lane, props.now, props.shade]);
}

function LaneStations({ lane, now, shade, onPoint }: LaneRowProps): JSX.Element {
  const problems = problemsOf(lane);
  const tone = toneOf(lane, problems.length > 0);
  const group = groupOf(lane.resource);
  return (
    <article class={`lane ${tone}${shade}`} onMouseEnter={onPoint} onFocusCapture={onPoint} data-lane={lane.id}>
      <div class="kind">
        <a href={href("cluster", { tab: "objects", resource: lane.resource })} title={lane.id}>
          {lane.kind}
        </a>
        <small>{[lane.cluster, group, lane.scope].filter(Boolean).join(" · ") || "core"}</small>
      </div>
      <Reflected lane={lane} now={now} tone={tone} />
      <div class={`fifo${lane.queued > 0 ? " busy" : ""}`} title="deltas that wait to be applied">
        <b>{count(lane.queued)}</b>
      </div>
      <div class="indexer" title={`indices: ${lane.indices.join(", ") || "none"}`}>
        <b class={lane.objects === 0 ? "zero" : ""}>{count(lane.objects)}</b>
        <small>{lane.bytes === 0 ? "" : bytes(lane.bytes)}</small>
      </div>
      <Listeners lane={lane} />
      {problems.map((problem) => (
        <p key={problem} class="lane-problem" title={problem}>
          <Mark tone="bad" title="problem" /> {problem}
        </p>
      ))}
    </article>
  );
}

function Reflected({
  lane,
  now,
  tone,
}: {
  readonly lane: Lane;
  readonly now: number;
  readonly tone: Tone;
}): JSX.Element {
  const name = `lane ${lane.id}`;
  const relists = Math.max(0, lane.lists - 1);
  const details = [
    `revision ${lane.revision || "none"}`,
    `${lane.lists} lists, ${lane.watches} watches, ${lane.failures} failures`,
    `last event ${ago(lane.lastEventAt, now)}`,
    `last bookmark ${ago(lane.lastBookmarkAt, now)}`,
    ...(lane.bytesRead === undefined ? [] : [`${bytes(lane.bytesRead)} read`]),
  ];
  return (
    <div class="reflector" title={details.join("\n")}>
      <Mark tone={tone} title={phaseWord(lane)} />
      <span class="phase">
        <b>{phaseWord(lane)}</b>
        <small>
          @{shortRevision(lane.revision)} · {ago(lane.lastEventAt, now)}
          {lane.lastBookmarkAt !== undefined && ` · mark ${ago(lane.lastBookmarkAt, now)}`}
          {relists > 0 && (
            <em>
              {" "}
              · {relists} relist{relists > 1 ? "s" : ""}
            </em>
          )}
        </small>
      </span>
      {useMemo(
        () => (
          <Spark
            values={store.history.series(name, now)}
            label={`events of ${lane.kind} in the last minute`}
            tone={tone}
          />
        ),
        [name, now, tone],
      )}
      <span class="rate">
        {rate(store.history.last(name, now))}/s
        {lane.bytesRead !== undefined && <small>{bytes(store.history.last(`bytes ${lane.id}`, now))}/s</small>}
      </span>
    </div>
  );
}

/** A dot for each listener, raised if changes wait for it. */
function Listeners({ lane }: { readonly lane: Lane }): JSX.Element {
  const pending = lane.listeners.reduce((sum, one) => sum + one.pending, 0);
  const names = lane.listeners.map((one) => `${one.name}${one.pending > 0 ? `: ${one.pending} pending` : ""}`);
  return (
    <div class="listeners" title={names.join("\n")}>
      <span class="dots" aria-hidden="true">
        {lane.listeners.slice(0, 24).map((one, i) => (
          <i key={i} class={listenerTone(one)} />
        ))}
      </span>
      <small>
        {lane.listeners.length}
        {pending > 0 && <em> · {count(pending)} pending</em>}
      </small>
    </div>
  );
}

function listenerTone({ pending, hasSynced, failures }: Lane["listeners"][number]): Tone {
  if (pending > 100 || failures > 0) return "bad";
  return pending > 0 || !hasSynced ? "busy" : "good";
}

/** The error that keeps objects from coming, and the handlers that threw. */
export function problemsOf({ problem, listeners }: Lane): readonly string[] {
  const failing = listeners.filter(({ failures }) => failures > 0);
  return [
    ...(problem === undefined ? [] : [problem]),
    ...failing.map(
      ({ name, failures, lastFailure = "" }) =>
        `handler ${name} threw ${failures === 1 ? "once" : `${failures} times`}, last: ${lastFailure}`,
    ),
  ];
}

function toneOf({ hasSynced, phase }: Lane, isBad: boolean): Tone {
  if (isBad) return "bad";
  if (!hasSynced || phase === "waiting") return "busy";
  return phase === "idle" || phase === "stopped" ? "none" : "good";
}

const words: Readonly<Record<string, string>> = {
  idle: "not started",
  waiting: "backing off",
  list: "listing",
  "watch-list": "listing",
  watch: "watching",
  follow: "watching",
  stopped: "stopped",
};

const phaseWord = ({ phase }: Lane): string => words[phase] ?? phase;

/** Revisions of one server share their first digits. */
const shortRevision = (revision: string): string => (revision.length > 8 ? `…${revision.slice(-7)}` : revision || "—");
