/** The sinks of the two event APIs, and their correlation. */
import { type Draft, Event, EventsV1Event, type KubeObject, type ResourceType } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { Occurrence } from "./occurrence.js";

/** Writes events of one API. `patch` is a strategic merge patch on the event of this name and namespace. */
export interface EventSink<E extends KubeObject> {
  create(event: E, signal: AbortSignal): Promise<E>;
  patch(event: E, patch: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<E>;
}

/** One write that became necessary. */
export interface EventWrite {
  /** Patches if the event is known on the server, and creates it if it is new or gone. */
  send(signal: AbortSignal): Promise<unknown>;
  readonly description: { readonly object: string; readonly reason: string; readonly message: string };
  /** True if "already exists" is worth a retry, because the event to be patched is being created. */
  readonly retryIfExists: boolean;
}

/**
 * Decides, by earlier occurrences, which write an occurrence needs. One for each sink; a state machine without a clock
 * of its own.
 */
export interface EventCorrelation {
  /** The write; "counted" if memory suffices for now, "filtered" if there were too many. */
  correlate(occurrence: Occurrence): EventWrite | "counted" | "filtered";
  /** The writes that are due by now without a new occurrence. `final`: at the end, everything that is only in memory. */
  due(nowMs: number, options: { readonly final: boolean }): readonly EventWrite[];
  /** The interval of calls of `due`; undefined for none. */
  readonly dueEveryMs: number | undefined;
  /** The wait before the n-th retry, counted from 1. `chance` is uniform in [0, 1). */
  retryDelayMs(retry: number, chance: number): number;
}

/** Events of core/v1 through a client. */
export const coreEventSink = (client: Pick<Client, "resource">): EventSink<Event> => sinkOf(client, Event);

/** Events of events.k8s.io/v1 through a client. */
export const eventsV1Sink = (client: Pick<Client, "resource">): EventSink<EventsV1Event> =>
  sinkOf(client, EventsV1Event);

function sinkOf<E extends KubeObject>(client: Pick<Client, "resource">, type: ResourceType<E>): EventSink<E> {
  const events = client.resource(type);
  return {
    create: (event, signal) => events.create(event as Draft<E>, { signal }),
    patch: (event, patch, signal) => events.patch(event.metadata, { strategic: patch }, { signal }),
  };
}
