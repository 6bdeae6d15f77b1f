/** Which objects belong to a controller: takes its objects and orphans, gives those to keep, to adopt and to release. Pure. */
import { controllerOf, isDeleting, type KubeObject, type Selector } from "../../api/index.js";

export interface ClaimInput<T extends KubeObject> {
  readonly owner: KubeObject;
  readonly selector: Selector;
  /** All objects in the owner's namespace that could be its own: those it controls, and those without a controller. */
  readonly candidates: readonly T[];
  /** A further condition besides the selector, such as a StatefulSet's rule for names. */
  readonly filter?: ((object: T) => boolean) | undefined;
}

export interface Claim<T extends KubeObject> {
  /** Already owned, and matching. */
  readonly owned: readonly T[];
  /** Matching orphans. They become the owner's by a patch, if the owner still exists. */
  readonly adopt: readonly T[];
  /** Owned, but no longer matching. */
  readonly release: readonly T[];
}

export function claim<T extends KubeObject>({ owner, selector, candidates, filter }: ClaimInput<T>): Claim<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const ownerIsGoing = isDeleting(owner);
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = selector.matches(object.metadata.labels) && (filter?.(object) ?? true);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches) owned.push(object);
      // an owner that is being deleted releases nothing: the garbage collector decides
      else if (!ownerIsGoing) release.push(object);
    } else if (matches && !ownerIsGoing && !isDeleting(object)) {
      if (object.metadata.namespace === owner.metadata.namespace) adopt.push(object);
    }
  }
  return { owned, adopt, release };
}
