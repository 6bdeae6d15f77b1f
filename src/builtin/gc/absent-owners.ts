/** Owners that were looked for and not found: saves a live read for each child of the same absent owner. */
import type { OwnerReference } from "../../api/index.js";

/**
 * A uid is never used again, so an absent owner stays absent. Each is remembered with the coordinates by which it was
 * looked for: absence there does not mean absence elsewhere. Holds the last `capacity` of them.
 */
export class AbsentOwners {
  readonly #capacity: number;
  /** In the order of their last use, oldest first. */
  readonly #keys = new Set<string>();

  constructor(capacity = 500) {
    this.#capacity = capacity;
  }

  /** `namespace` is empty for a cluster-wide owner. */
  add(owner: OwnerReference, namespace: string): void {
    const key = keyOf(owner, namespace);
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#capacity) return;
    const [oldest] = this.#keys;
    this.#keys.delete(oldest as string);
  }

  /** `namespace` is the namespace of the child that refers to the owner. */
  has(owner: OwnerReference, namespace: string): boolean {
    return this.#keys.has(keyOf(owner, namespace)) || this.#keys.has(keyOf(owner, ""));
  }
}

const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  [uid, apiVersion, kind, namespace, name].join("\n");
