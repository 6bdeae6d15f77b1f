/**
 * Events of core/v1: similar ones are combined, equal ones counted, and a flood is cut off, as in client-go's
 * EventCorrelator.
 */
import { type Event, formatTime, isNotFound } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, Recent, systemClock, TokenBucket } from "../../base/index.js";
import { defaultNamespace, type Occurrence } from "./occurrence.js";
import type { EventCorrelation, EventSink, EventWrite } from "./sink.js";

/** For each reporter, object and type: this many at once, and this many a second after that. */
const burst = 25;
const ratePerSecond = 1 / 300;
/** The number of events, groups and objects that are surely remembered. */
const remembered = 4096;

/** After this many different messages of one reason about one object, further ones are combined into one event. */
const maxSimilar = 10;
/** Messages further apart than this are not similar. */
const similarWithinMs = 600_000;

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

/** The state on the server, as far as we know. */
interface Counted {
  readonly count: number;
  readonly first: string;
  readonly name: string;
}

/** Combines first, then counts, then filters; filtered events have been counted. */
export function coreCorrelation(
  sink: EventSink<Event>,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): EventCorrelation {
  const similar = new Recent<string, Similar>({ weight: remembered });
  const counted = new Recent<string, Counted>({ weight: remembered });
  const buckets = new Recent<string, TokenBucket>({ weight: remembered });

  /** The event to count, and the key to count it by. */
  const combined = (occurrence: Occurrence): { readonly event: Event; readonly key: string } => {
    const group = groupKey(occurrence);
    let record = similar.get(group);
    if (record === undefined || occurrence.at - record.lastAt > similarWithinMs) {
      record = { messages: new Set(), lastAt: occurrence.at };
      similar.set(group, record);
    }
    record.messages.add(occurrence.message);
    record.lastAt = occurrence.at;
    const event = eventOf(occurrence);
    if (record.messages.size < maxSimilar) return { event, key: eventKey(event) };
    // one makes room for the next, so that the set does not grow with a stream of new messages
    for (const oldest of record.messages) {
      record.messages.delete(oldest);
      break;
    }
    // as in client-go: only the source of a combined event names the reporter
    const unreported = { reportingComponent: "", reportingInstance: "" };
    return {
      event: { ...event, ...unreported, message: `(combined from similar events): ${occurrence.message}` },
      key: group,
    };
  };

  const count = (event: Event, key: string): { readonly event: Event; readonly known: boolean } => {
    const known = counted.get(key);
    const next =
      known === undefined
        ? event
        : {
            ...event,
            metadata: { ...event.metadata, name: known.name },
            firstTimestamp: known.first,
            count: known.count + 1,
          };
    counted.set(key, { count: next.count ?? 1, first: next.firstTimestamp ?? "", name: next.metadata.name });
    return { event: next, known: known !== undefined };
  };

  const isFlood = (occurrence: Occurrence): boolean => {
    const key = [...sourceAndObject(occurrence), occurrence.type].join("\0");
    const bucket = buckets.get(key) ?? new TokenBucket({ ratePerSecond, burst, clock });
    buckets.set(key, bucket);
    return !bucket.tryTake();
  };

  const write = (event: Event, { key, known }: { readonly key: string; readonly known: boolean }): EventWrite => ({
    description: descriptionOf(event),
    retryIfExists: false,
    async send(signal) {
      const { count: total, message, lastTimestamp } = event;
      const answer = known
        ? await sink
            .patch(event, { count: total, message, lastTimestamp }, signal)
            .catch((error: unknown) => (isNotFound(error) ? sink.create(event, signal) : Promise.reject(error)))
        : await sink.create(event, signal);
      // the server may know better, e.g. if another process counted too
      counted.set(key, {
        count: Math.max(answer.count ?? 1, counted.get(key)?.count ?? 0),
        first: answer.firstTimestamp ?? event.firstTimestamp ?? "",
        name: answer.metadata.name,
      });
    },
  });

  return {
    correlate(occurrence) {
      const { event, key } = combined(occurrence);
      const next = count(event, key);
      return isFlood(occurrence) ? "filtered" : write(next.event, { key, known: next.known });
    },
    due: () => [],
    dueEveryMs: undefined,
    // the first retry is spread, so that a fleet that lost its server does not come back all at once
    retryDelayMs: (retry, chance) => (retry === 1 ? chance * 10_000 : 10_000),
  };
}

function eventOf({ type, reason, message, regarding, related, annotations, reporter, at, name }: Occurrence): Event {
  const { component, host } = reporter;
  const time = formatTime(at);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: regarding.namespace || defaultNamespace, ...defined({ annotations }) },
    involvedObject: regarding,
    reason,
    message,
    source: { component, ...defined({ host: host || undefined }) },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    ...defined({ related }),
    reportingComponent: component,
    reportingInstance: host,
  };
}

/** Without the field path: an object's parts share its allowance. */
function sourceAndObject({ reporter, regarding }: Occurrence): readonly string[] {
  const { kind = "", namespace = "", name = "", uid = "", apiVersion = "" } = regarding;
  return [reporter.component, reporter.host, kind, namespace, name, uid, apiVersion];
}

function groupKey(occurrence: Occurrence): string {
  return [...sourceAndObject(occurrence), occurrence.type, occurrence.reason].join("\0");
}

function eventKey({ source, involvedObject, type, reason, message }: Event): string {
  const { kind, namespace, name, fieldPath, uid, apiVersion } = involvedObject;
  const parts = [
    source?.component,
    source?.host,
    kind,
    namespace,
    name,
    fieldPath,
    uid,
    apiVersion,
    type,
    reason,
    message,
  ];
  return parts.map((part) => part ?? "").join("\0");
}

function descriptionOf({ involvedObject, reason = "", message = "" }: Event): EventWrite["description"] {
  const { kind = "", namespace = "", name = "" } = involvedObject;
  return { object: `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`, reason, message };
}
