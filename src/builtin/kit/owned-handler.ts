/** Events of owned objects as work for their owners: the rules that all workload controllers share. */
import {
  controllerOf,
  deepEqual,
  type KubeObject,
  type OwnerReference,
  sameRevision,
  type Selector,
} from "../../api/index.js";
import { type Deleted, deletedObject, type ReadonlyStore, type ResourceEventHandler } from "../../informer/index.js";

export interface OwnedHandlerOptions<T extends KubeObject, O extends KubeObject> {
  /** The cache of the owners. */
  readonly owners: ReadonlyStore<O>;
  /** The owners' kind, as references name it. */
  readonly ownerKind: string;
  /** What an owner would adopt; undefined for one that adopts nothing. */
  readonly selectorOf?: (owner: O) => Selector | undefined;
  /** `previous` is given only with updates of an object to the one that owns it now. */
  enqueue(owner: O, change: "added" | "updated" | "deleted", object: T, previous?: T): void;
}

/**
 * An object that is being deleted counts as deleted from the first sight of it. Orphans wake every owner that could adopt
 * them; a deleted orphan wakes nobody. An object that was deleted and made anew in one step is a delete and an add.
 */
export function ownedHandler<T extends KubeObject, O extends KubeObject>(
  options: OwnedHandlerOptions<T, O>,
): ResourceEventHandler<T> {
  const ownerOf = (object: T, reference: OwnerReference | undefined): O | undefined => {
    if (reference === undefined || reference.kind !== options.ownerKind) return undefined;
    const { namespace } = object.metadata;
    const owner = options.owners.get(namespace === undefined ? reference.name : `${namespace}/${reference.name}`);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  };
  const wakeAdopters = (object: T): void => {
    if (options.selectorOf === undefined) return;
    for (const owner of inNamespace(options.owners, object.metadata.namespace)) {
      if (options.selectorOf(owner)?.matches(object.metadata.labels)) options.enqueue(owner, "updated", object);
    }
  };
  const deleted = (object: T): void => {
    const owner = ownerOf(object, controllerOf(object));
    if (owner !== undefined) options.enqueue(owner, "deleted", object);
  };
  const added = (object: T): void => {
    if (object.metadata.deletionTimestamp !== undefined) return deleted(object);
    const reference = controllerOf(object);
    if (reference === undefined) return wakeAdopters(object);
    const owner = ownerOf(object, reference);
    if (owner !== undefined) options.enqueue(owner, "added", object);
  };
  const updated = (previous: T, object: T): void => {
    const [before, after] = [controllerOf(previous), controllerOf(object)];
    const refChanged = !deepEqual(before, after);
    const labelsChanged = !deepEqual(previous.metadata.labels, object.metadata.labels);
    if (object.metadata.deletionTimestamp !== undefined) {
      deleted(object);
      if (refChanged) deleted(previous);
      return;
    }
    if (refChanged) {
      const oldOwner = ownerOf(previous, before);
      if (oldOwner !== undefined) options.enqueue(oldOwner, "updated", object);
    }
    if (after !== undefined) {
      const owner = ownerOf(object, after);
      if (owner === undefined) return;
      options.enqueue(owner, "updated", object, previous);
    } else if (refChanged || labelsChanged) {
      wakeAdopters(object);
    }
  };
  return {
    onAdd: added,
    onUpdate(previous, object) {
      if (sameRevision(previous, object)) return;
      if (previous.metadata.uid !== object.metadata.uid) {
        deleted(previous);
        added(object);
      } else {
        updated(previous, object);
      }
    },
    onDelete(gone: Deleted<T>) {
      const object = deletedObject(gone);
      if (object !== undefined) deleted(object);
    },
  };
}

function inNamespace<O extends KubeObject>(owners: ReadonlyStore<O>, namespace: string | undefined): readonly O[] {
  return namespace === undefined ? owners.list() : owners.byIndex("namespace", namespace);
}
