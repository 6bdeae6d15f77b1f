/** The events of a watch, in the words of the wire: servers send them, clients read them, caches are filled from them. */
import type { Status } from "./status.js";

/** A change of one object of the watched collection; a deletion has the last state. */
export interface ObjectEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/** The server's progress: there are no changes up to this revision beyond the delivered ones. */
export interface Bookmark {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** An event that a watch gives to its reader. */
export type WatchEvent<T> = ObjectEvent<T> | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** The server's reason for the end of a watch; the last event. The client throws it as a StatusError. */
export interface ErrorEvent {
  readonly type: "ERROR";
  readonly object: Status;
}

/** The annotation of the bookmark that ends the initial events of a streamed list. */
export const initialEventsEnd = "k8s.io/initial-events-end";

export function isInitialEventsEnd(event: WatchEvent<unknown>): boolean {
  return event.type === "BOOKMARK" && event.object.metadata.annotations?.[initialEventsEnd] === "true";
}
