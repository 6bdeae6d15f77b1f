/** Owner references: the owners of an object, at most one of which controls it. */
import type { ObjectMeta, OwnerReference } from "../object.js";
import { apiVersionOf, parseGroupVersion } from "../resource-type.js";

interface Owned {
  readonly metadata: { readonly ownerReferences?: readonly OwnerReference[] };
}

interface Owner {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Pick<ObjectMeta, "name" | "uid">;
}

/** A kind as a value: any ResourceType, or its group, version and kind alone. */
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The reference that says `controller: true`, if there is one. */
export function controllerOf(object: Owned): OwnerReference | undefined {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined) return undefined;
  for (const owner of owners) if (owner.controller === true) return owner;
  return undefined;
}

/** True if `owner` is the controller of `object`: by uid, never by name. */
export function isControlledBy(object: Owned, owner: { readonly metadata: { readonly uid?: string } }): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid;
}

/** True if `owner` is among the owners, controller or not. */
export function isOwnedBy(object: Owned, owner: { readonly metadata: { readonly uid?: string } }): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && (object.metadata.ownerReferences ?? []).some((reference) => reference.uid === uid);
}

/**
 * A reference for an object that `owner` controls. The owner must come from a server, because the reference needs its
 * uid. Items of lists carry no kind: pass `kind` for them.
 */
export function newControllerRef(owner: Owner, kind?: Kind): OwnerReference {
  return { ...newOwnerRef(owner, kind), controller: true, blockOwnerDeletion: true };
}

/** A reference without control: the object is deleted with its last owner, but this owner does not manage it. */
export function newOwnerRef(owner: Owner, kind?: Kind): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined || uid === "") {
    throw new Error(`an owner reference to ${owner.kind ?? "object"} ${JSON.stringify(name)} needs its uid`);
  }
  const apiVersion = kind === undefined ? owner.apiVersion : apiVersionOf(kind);
  const kindName = kind?.kind ?? owner.kind;
  if (apiVersion === undefined || kindName === undefined) {
    throw new Error(`an owner reference to ${JSON.stringify(name)} needs its apiVersion and kind`);
  }
  return { apiVersion, kind: kindName, name, uid };
}

/** `owners` with `reference` added; it replaces a reference to the same object (by group, kind and name). */
export function withOwner(
  owners: readonly OwnerReference[] | undefined,
  reference: OwnerReference,
): readonly OwnerReference[] {
  const before = owners ?? [];
  const at = before.findIndex((owner) => sameOwner(owner, reference));
  return at === -1 ? [...before, reference] : before.with(at, reference);
}

/** `owners` without a reference to the same object (by group, kind and name). */
export function withoutOwner(
  owners: readonly OwnerReference[] | undefined,
  reference: OwnerReference,
): readonly OwnerReference[] {
  return (owners ?? []).filter((owner) => !sameOwner(owner, reference));
}

function sameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    parseGroupVersion(a.apiVersion).group === parseGroupVersion(b.apiVersion).group
  );
}
