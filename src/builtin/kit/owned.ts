/** Changes of owned objects as work for their owners: the rules that all workload controllers share. */
import {
  controllerOf,
  deepEqual,
  type KubeObject,
  metaNamespaceKey,
  type OwnerReference,
  type Selector,
} from "../../api/index.js";
import type { ObjectChange, Wake } from "../../controller/index.js";
import type { ReadonlyStore } from "../../informer/index.js";

/** `previous` is given only with updates of an object, to the owner that has it now. */
export interface OwnedChange<T extends KubeObject> {
  readonly type: "added" | "updated" | "deleted";
  readonly object: T;
  readonly previous?: T;
}

export interface OwnedListingOptions<T extends KubeObject, O extends KubeObject> {
  /** The cache of the owners. */
  readonly owners: ReadonlyStore<O>;
  /** The owners' kind, as owner references name it. */
  readonly ownerKind: string;
  /** The selector of the objects that an owner would adopt; undefined for an owner that adopts nothing. */
  readonly selectorOf?: (owner: O) => Selector | undefined;
  /** Wakes the owner; by default its key, at once. */
  tell?(owner: O, change: OwnedChange<T>, wake: Wake): void;
}

const wakeOwner = (owner: KubeObject, _change: unknown, wake: Wake): void => wake(metaNamespaceKey(owner));

/**
 * For `loop.watch`. An object that is being deleted counts as deleted from the first sight of it. Orphans wake every
 * owner that could adopt them; a deleted orphan wakes nobody. An object that was deleted and made anew in one step is a
 * delete and an add.
 */
export function ownedChanges<T extends KubeObject, O extends KubeObject>(
  options: OwnedListingOptions<T, O>,
): (change: ObjectChange<T>, wake: Wake) => void {
  const { tell = wakeOwner } = options;
  const ownerOf = (object: T, reference: OwnerReference | undefined): O | undefined => {
    if (reference === undefined || reference.kind !== options.ownerKind) return undefined;
    const { namespace } = object.metadata;
    const owner = options.owners.get(namespace === undefined ? reference.name : `${namespace}/${reference.name}`);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  };
  const wakeAdopters = (object: T, wake: Wake): void => {
    if (options.selectorOf === undefined) return;
    for (const owner of inNamespace(options.owners, object.metadata.namespace)) {
      if (options.selectorOf(owner)?.matches(object.metadata.labels)) tell(owner, { type: "updated", object }, wake);
    }
  };
  const deleted = (object: T, wake: Wake): void => {
    const owner = ownerOf(object, controllerOf(object));
    if (owner !== undefined) tell(owner, { type: "deleted", object }, wake);
  };
  const added = (object: T, wake: Wake): void => {
    if (object.metadata.deletionTimestamp !== undefined) return deleted(object, wake);
    const reference = controllerOf(object);
    if (reference === undefined) return wakeAdopters(object, wake);
    const owner = ownerOf(object, reference);
    if (owner !== undefined) tell(owner, { type: "added", object }, wake);
  };
  const updated = (previous: T, object: T, wake: Wake): void => {
    const [before, after] = [controllerOf(previous), controllerOf(object)];
    const refChanged = !deepEqual(before, after);
    const labelsChanged = !deepEqual(previous.metadata.labels, object.metadata.labels);
    if (object.metadata.deletionTimestamp !== undefined) {
      deleted(object, wake);
      if (refChanged) deleted(previous, wake);
      return;
    }
    if (refChanged) {
      const oldOwner = ownerOf(previous, before);
      if (oldOwner !== undefined) tell(oldOwner, { type: "updated", object }, wake);
    }
    if (after !== undefined) {
      const owner = ownerOf(object, after);
      if (owner !== undefined) tell(owner, { type: "updated", object, previous }, wake);
    } else if (refChanged || labelsChanged) {
      wakeAdopters(object, wake);
    }
  };
  return (change, wake) => {
    const { object } = change;
    if (change.type === "added") added(object, wake);
    if (change.type === "deleted") deleted(object, wake);
    if (change.type !== "updated") return;
    const { previous } = change;
    if (previous.metadata.uid === object.metadata.uid) return updated(previous, object, wake);
    deleted(previous, wake);
    added(object, wake);
  };
}

function inNamespace<O extends KubeObject>(owners: ReadonlyStore<O>, namespace: string | undefined): readonly O[] {
  return namespace === undefined ? owners.list() : owners.byIndex("namespace", namespace);
}
