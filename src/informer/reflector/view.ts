/** The state of a reflector as others see it. */
import type { Action } from "./state.js";

/** The public state of a reflector. */
export interface ReflectorView {
  readonly name: string;
  /** The revision from which the next watch would continue; "" before the first list. */
  readonly lastSyncResourceVersion: string;
  readonly isWatching: boolean;
  /** The last failure, until the next success. */
  readonly lastError: unknown;
  readonly phase: "idle" | "waiting" | Action["type"] | "stopped";
  /** Counts since the start, and the times of the last news. */
  readonly activity: ReflectorActivity;
}

export interface ReflectorActivity {
  /** Whole lists, streamed ones included; each after the first is a relist. */
  readonly lists: number;
  readonly watches: number;
  /** Events of watches, bookmarks included. */
  readonly events: number;
  readonly failures: number;
  /** The bytes of all objects that have come; undefined if the source does not see them. */
  readonly bytes: number | undefined;
  /** Milliseconds since the epoch; undefined before the first event or bookmark. */
  readonly lastEventAt: number | undefined;
  readonly lastBookmarkAt: number | undefined;
}

/** The activity of a reflector that has not started. */
export const noActivity: ReflectorActivity = {
  lists: 0,
  watches: 0,
  events: 0,
  failures: 0,
  bytes: undefined,
  lastEventAt: undefined,
  lastBookmarkAt: undefined,
};
