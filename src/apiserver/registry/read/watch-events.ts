/** Turns changes in the store into the events of one watch, by its selector. Pure. */
import type { Stored, StoreEvent } from "../../storage/contract.js";
import type { Selection } from "./selection.js";

export interface ShownChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly stored: Stored;
}

/** Undefined if the change does not concern the selection. An object that leaves the selection is shown as deleted. */
export function watchEventOf(event: StoreEvent, selection: Selection): ShownChange | undefined {
  const { previous, current } = event;
  const was = previous !== undefined && (selection.isEverything || selection.matches(previous));
  const is = current !== undefined && (selection.isEverything || selection.matches(current));
  if (is) return { type: was ? "MODIFIED" : "ADDED", stored: current };
  return was ? { type: "DELETED", stored: event.departed as Stored } : undefined;
}
