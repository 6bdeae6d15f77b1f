/** The clients and the event sink that controllers write through: clients whose warnings are logged and that a lost lease stops, and a sink whose refusals are remembered. */
import { Event, EventsV1Event, type KubeObject, type ResourceType } from "../api/index.js";
import { type Clock, type Logger, Recent } from "../base/index.js";
import type { Client } from "../client/index.js";
import {
  coreCorrelation,
  coreEventSink,
  type EventCorrelation,
  type EventSink,
  eventsV1Sink,
  type Refusals,
  seriesCorrelation,
} from "../controller/index.js";
import { fencedTransport, type TermSource } from "./leader-election/index.js";

interface AccessOptions {
  /** Undefined: there is no lease to fence by, or it does not matter. */
  readonly leader: TermSource | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A server's warning, of a field that it does not know or a version that ends, is one line in the log, once for each text. */
export function accessOf(client: Client, { leader, clock, log }: AccessOptions): Client {
  const told = new Recent<string, true>({ weight: 1_000 });
  const onWarning = (warning: string, request: string): void => {
    if (told.get(warning) !== undefined) return;
    told.set(warning, true);
    log.warn("the server warns", { warning, request });
  };
  return client.through(
    (transport) => (leader === undefined ? transport : fencedTransport(transport, { leader, clock })),
    { onWarning },
  );
}

/** Writes events of the API that is asked for. That the server allows it or not is noted in `refusals`. */
export function eventsThrough(
  client: Client,
  { api, clock, refusals }: { readonly api: string; readonly clock: Clock; readonly refusals: Refusals },
): EventCorrelation {
  return api === "v1"
    ? coreCorrelation(noting(coreEventSink(client), Event, refusals), { clock })
    : seriesCorrelation(noting(eventsV1Sink(client), EventsV1Event, refusals));
}

function noting<E extends KubeObject>(sink: EventSink<E>, type: ResourceType<E>, refusals: Refusals): EventSink<E> {
  const noted = async (verb: "create" | "patch", writing: Promise<E>): Promise<E> => {
    try {
      const event = await writing;
      refusals.allowed(verb, type);
      return event;
    } catch (error) {
      refusals.failed(verb, type, error);
      throw error;
    }
  };
  return {
    create: (event, signal) => noted("create", sink.create(event, signal)),
    patch: (event, patch, signal) => noted("patch", sink.patch(event, patch, signal)),
  };
}
