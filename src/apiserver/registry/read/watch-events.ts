/** Changes in the store as the events of one watch, by its selector, and the contract of their encoders. Pure. */
import type { ObjectEvent, Status } from "../../../api/index.js";
import type { Stored, StoreEvent } from "../../storage/contract.js";
import type { Selection } from "./selection.js";

/**
 * Turns events into bytes. Encoders with the same `id` give the same bytes for the same event, so that watchers can
 * share them; the id "" means that the bytes are not shared.
 */
export interface FrameEncoder {
  readonly id: string;
  event(event: ObjectEvent<Stored>): Uint8Array;
  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array;
  error(status: Status): Uint8Array;
}

/** Undefined if the change does not concern the selection. An object that leaves the selection is shown as deleted. */
export function watchEventOf(event: StoreEvent, selection: Selection): ObjectEvent<Stored> | undefined {
  const { previous, current } = event;
  const was = previous !== undefined && (selection.isEverything || selection.matches(previous));
  const is = current !== undefined && (selection.isEverything || selection.matches(current));
  if (is) return { type: was ? "MODIFIED" : "ADDED", object: current };
  return was ? { type: "DELETED", object: event.departed as Stored } : undefined;
}
