/** Turns changes in the store into the events of one watch, by its selector. Pure. */
import type { Stored, StoreEvent } from "../../storage/contract.js";
import { StoredVersion } from "../../storage/stored-version.js";
import type { Selection } from "./selection.js";

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly stored: Stored;
}

/** The last state of an object that leaves the selection, under the revision of the change: it is shown as deleted. */
const departures = new WeakMap<StoreEvent, Stored>();

function departure(event: StoreEvent, previous: Stored): Stored {
  let stored = departures.get(event);
  if (stored === undefined) {
    const { collection, key, revision } = event;
    stored = StoredVersion.ofObject({ collection, key, revision }, previous.object);
    departures.set(event, stored);
  }
  return stored;
}

/** Undefined if the change does not concern the selection. */
export function watchEventOf(event: StoreEvent, selection: Selection): WatchEvent | undefined {
  const { previous, current, deleted } = event;
  const was = previous !== undefined && (selection.isEverything || selection.matches(previous));
  if (current === undefined) return was && deleted !== undefined ? { type: "DELETED", stored: deleted } : undefined;
  const is = selection.isEverything || selection.matches(current);
  if (is) return { type: was ? "MODIFIED" : "ADDED", stored: current };
  return was ? { type: "DELETED", stored: departure(event, previous) } : undefined;
}
