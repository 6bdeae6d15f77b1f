/** Owners that were looked for and not found: saves a live read for each child of the same absent owner. */
import type { OwnerReference } from "../../api/index.js";
import { Recent } from "../../base/index.js";

/**
 * A uid is never used again, so an absent owner stays absent. Each is remembered with the coordinates by which it was
 * looked for: absence there does not mean absence elsewhere.
 */
export class AbsentOwners {
  readonly #keys = new Recent<string, true>({ weight: 500 });

  /** `namespace` is empty for a cluster-wide owner. */
  add(owner: OwnerReference, namespace: string): void {
    this.#keys.set(keyOf(owner, namespace), true);
  }

  /** `namespace` is the namespace of the child that refers to the owner. */
  has(owner: OwnerReference, namespace: string): boolean {
    return [namespace, ""].some((place) => this.#keys.get(keyOf(owner, place)) === true);
  }
}

const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  [uid, apiVersion, kind, namespace, name].join("\n");
