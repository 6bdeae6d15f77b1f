/** Owners that were looked for and not found: saves a live read for each of a thousand children of one owner. */
import type { OwnerReference } from "../../api/index.js";

/**
 * A uid never comes back, so what is absent stays absent. It is remembered with the coordinates by which it was looked for:
 * absent there does not mean absent elsewhere. Holds the last `capacity` of them.
 */
export class AbsentOwners {
  readonly #capacity: number;
  /** In the order of last use, oldest first. */
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

  /** As seen by a child in that namespace. */
  has(owner: OwnerReference, namespace: string): boolean {
    return this.#keys.has(keyOf(owner, namespace)) || this.#keys.has(keyOf(owner, ""));
  }
}

const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  [uid, apiVersion, kind, namespace, name].join("\n");
