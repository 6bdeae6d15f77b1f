/** Events of events.k8s.io/v1: repeated ones become a series, counted in memory and patched now and then. */
import { hostname } from "node:os";
import { byteLength, type EventsV1Event, formatMicroTime, isNotFound } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { Recent } from "../../base/index.js";
import { defaultNamespace, type Occurrence } from "./occurrence.js";
import type { EventCorrelation, EventSink, EventWrite } from "./sink.js";

/** A series ends after this quiet time, and a single event no longer becomes one. */
const finishMs = 6 * 60_000;
/** The interval in which a running series is written to the server. */
const refreshMs = 30 * 60_000;
const remembered = 4096;
/** The server refuses longer notes. */
const noteLimitBytes = 1024;

interface Series {
  event: EventsV1Event;
  /** 1 for a single event. */
  count: number;
  lastAt: number;
  /** The state that was last written to the server. */
  writtenCount: number;
  writtenAt: number;
}

export function seriesCorrelation(sink: EventSink<EventsV1Event>): EventCorrelation {
  const running = new Recent<string, Series>({ weight: remembered });

  const write = (series: Series): EventWrite => {
    const { event, count, lastAt } = series;
    series.writtenCount = count;
    series.writtenAt = lastAt;
    const state = { count, lastObservedTime: formatMicroTime(lastAt * 1000) };
    return {
      description: {
        object: `${event.regarding?.kind ?? ""} ${event.metadata.namespace}/${event.regarding?.name ?? ""}`,
        reason: event.reason ?? "",
        message: event.note ?? "",
      },
      retryIfExists: count > 1,
      async send(signal) {
        if (count === 1) return void (await sink.create(event, signal));
        const whole = { ...event, series: state };
        await sink
          .patch(event, { series: state }, signal)
          .catch((error: unknown) => (isNotFound(error) ? sink.create(whole, signal) : Promise.reject(error)));
      },
    };
  };

  return {
    correlate(occurrence) {
      const key = seriesKey(occurrence);
      const known = running.get(key);
      if (known === undefined) {
        const event = eventOf(occurrence);
        const series = { event, count: 1, lastAt: occurrence.at, writtenCount: 0, writtenAt: occurrence.at };
        running.set(key, series);
        return write(series);
      }
      known.count += 1;
      known.lastAt = occurrence.at;
      return known.count === 2 ? write(known) : "counted";
    },
    due(nowMs, { final }) {
      const writes: EventWrite[] = [];
      for (const [key, series] of running.entries()) {
        const over = final || nowMs - series.lastAt > finishMs;
        const stale = nowMs - series.writtenAt >= refreshMs;
        if ((over || stale) && series.writtenCount < series.count) writes.push(write(series));
        if (over) running.delete(key);
      }
      return writes;
    },
    dueEveryMs: finishMs,
    retryDelayMs: (_retry, chance) => 10_000 * (1 + 0.25 * chance),
  };
}

function eventOf(occurrence: Occurrence): EventsV1Event {
  const { type, reason, message, action, regarding, related, annotations, reporter, at, name } = occurrence;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace: regarding.namespace || defaultNamespace, ...defined({ annotations }) },
    eventTime: formatMicroTime(at * 1000),
    reportingController: reporter.component,
    reportingInstance: `${reporter.component}-${reporter.host || hostname()}`.slice(0, 128),
    action,
    reason,
    regarding,
    ...defined({ related }),
    note: shortened(message),
    type,
  };
}

/** The note is not part of the key; the object's resourceVersion, as part of the reference, is. */
function seriesKey({ type, action, reason, reporter, regarding, related }: Occurrence): string {
  return JSON.stringify([type, action, reason, reporter, regarding, related]);
}

function shortened(note: string): string {
  if (byteLength(note) <= noteLimitBytes) return note;
  let text = note.slice(0, noteLimitBytes - 3);
  while (byteLength(text) > noteLimitBytes - 3) text = text.slice(0, -1);
  return `${text}…`;
}
