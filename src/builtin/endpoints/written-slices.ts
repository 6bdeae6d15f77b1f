/** Tells slices that the controller wrote itself from slices that others made or changed. */
import type { EndpointSlice } from "../../api/index.js";

/**
 * Invariant: holds, for each uid, the highest generation that the controller wrote; a slice that was seen to be deleted
 * is not in it.
 */
export class WrittenSlices {
  readonly #generations = new Map<string, number>();

  add({ metadata: { uid = "", generation = 0 } }: EndpointSlice): void {
    this.#generations.set(uid, Math.max(generation, this.#generations.get(uid) ?? 0));
  }

  /** True if the controller wrote this state of the slice, or a later one. */
  includes({ metadata: { uid = "", generation = 0 } }: EndpointSlice): boolean {
    return generation <= (this.#generations.get(uid) ?? -1);
  }

  forget({ metadata: { uid = "" } }: EndpointSlice): void {
    this.#generations.delete(uid);
  }
}
