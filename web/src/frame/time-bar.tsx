/** A slider over the moments that are still remembered: the whole page shows the chosen one, or now. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { compareRevisions, isRevision } from "../../../src/api/meta/revision.js";
import type { MomentLine } from "../../../src/dashboard/wire.js";
import { ago, timeOfDay } from "../parts/format.js";
import type { Recording } from "../recording/recording.js";
import { ask } from "../state/ask.js";
import type { Sample } from "../state/history.js";
import { type Moment, momentText } from "../state/moment.js";
import { adjust } from "../state/route.js";
import { store, type Watched } from "../state/store.js";

const everyMs = 2_000;
const playEveryMs = 300;

export interface TimeBarProps {
  /** Undefined for now. */
  readonly moment: Moment | undefined;
  readonly recording: Recording | undefined;
}

export function TimeBar({ moment, recording }: TimeBarProps): JSX.Element {
  const isNow = moment === undefined;
  const points = usePoints(isNow, recording);
  const last = points.length - 1;
  const found = isNow ? last : points.findLastIndex(({ at }) => at <= moment.at);
  const place = Math.max(0, found);
  const go = (i: number): void => {
    const point = points[i];
    const isEnd = point === undefined || (i >= last && recording === undefined);
    adjust({ at: isEnd ? undefined : momentText(point) });
  };
  const [isPlaying, play] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => (place >= last ? play(false) : go(place + 1)), playEveryMs);
    return () => clearTimeout(timer);
  }, [isPlaying, place, last]);
  const canPlay = points.length > 1;
  return (
    <section class={`time-bar${isNow ? "" : " past"}`} aria-label="time">
      <button
        type="button"
        disabled={!canPlay}
        aria-label={isPlaying ? "stop playing" : "play from this moment on"}
        onClick={() => {
          if (!isPlaying && place >= last) go(0);
          play(!isPlaying);
        }}
      >
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <path d={isPlaying ? "M1.500 1h2.500v8H1.500zM6 1h2.500v8H6z" : "M2 1l7 4-7 4z"} />
        </svg>
      </button>
      <input
        type="range"
        aria-label="the moment that the page shows"
        aria-valuetext={isNow ? "now" : timeOfDay(moment.at)}
        min="0"
        max={Math.max(1, last)}
        value={isNow ? Math.max(1, last) : place}
        disabled={!canPlay}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <output>{momentWords(moment, recording, points.length)}</output>
      {recording === undefined && (
        <button class="word" type="button" disabled={isNow} onClick={() => adjust({ at: undefined })}>
          back to now
        </button>
      )}
    </section>
  );
}

function momentWords(moment: Moment | undefined, recording: Recording | undefined, points: number): string {
  if (recording !== undefined && moment !== undefined)
    return `${timeOfDay(moment.at)} of ${timeOfDay(recording.end.at)}`;
  if (moment === undefined) return points > 1 ? "now · drag to go back in time" : "now · nothing to go back to yet";
  return `${timeOfDay(moment.at)} · ${ago(moment.at, store.time())} ago`;
}

/** The writes that the journal remembers, and the seconds that this page has seen. The past does not move while somebody looks at it. */
function usePoints(isNow: boolean, recording: Recording | undefined): readonly Moment[] {
  const [known, show] = useState<readonly Moment[]>([]);
  const isMoving = isNow && recording === undefined;
  useEffect(() => {
    const ended = new AbortController();
    const load = async (): Promise<void> => {
      const moments = await ask<readonly MomentLine[]>("moments", ended.signal).catch(() => undefined);
      if (moments === undefined || ended.signal.aborted) return;
      show(recording === undefined ? pointsOf(moments, store.history.samples) : moments);
    };
    void load();
    const timer = isMoving ? setInterval(() => void load(), everyMs) : undefined;
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [isMoving, recording]);
  return known;
}

/** A second in which something was written has its writes; a quiet one has the sample of this page. */
function pointsOf(moments: readonly MomentLine[], samples: readonly Sample[]): readonly Moment[] {
  const written = new Set(moments.map(({ at }) => Math.floor(at / 1_000)));
  const quiet = samples.filter(({ at }) => !written.has(Math.floor(at / 1_000)));
  const seen = quiet.map(({ at, watched }) => ({ at, revision: newestOf(watched) }));
  return [...moments, ...seen].sort((a, b) => a.at - b.at);
}

/** The newest revision of the cluster that an informer has heard of. */
function newestOf({ lanes }: Watched): string {
  let newest = "";
  for (const { cluster, revision } of lanes.values()) {
    if (cluster !== "" || !isRevision(revision)) continue;
    if (newest === "" || compareRevisions(revision, newest) > 0) newest = revision;
  }
  return newest;
}
