/**
 * The objects of one kind that belong to owners of another: which owner a change wakes, and which objects an owner
 * claims. The rules that all workload controllers share.
 */
import {
  controllerOf,
  deepEqual,
  isDeleting,
  isInvalid,
  isNotFound,
  type KubeObject,
  metaNamespaceKey,
  newControllerRef,
  type Selector,
} from "../../api/index.js";
import type { KeyLoop, KeyRun, ObjectChange, Wake } from "../../controller/index.js";
import { type FactoryInformer, namespaceIndex, type ReadonlyStore } from "../../informer/index.js";
import { type Claim, claim, type ClaimInput } from "./claim.js";

const controllerIndex = "controller-uid";

/** No uid has a slash, so the orphans of a namespace never mix with the objects of an owner. */
const orphansIn = (namespace = ""): string => `orphans/${namespace}`;

const controllerOrOrphan = (object: KubeObject): readonly string[] => [
  controllerOf(object)?.uid ?? orphansIn(object.metadata.namespace),
];

/** Indexes objects by the uid of their controller. Call it before the informers start. */
export function indexByController<T extends KubeObject>(informer: FactoryInformer<T>): void {
  informer.addIndexers({ [controllerIndex]: controllerOrOrphan });
}

export function controlledBy<T extends KubeObject>({ indexer }: FactoryInformer<T>, uid: string | undefined): T[] {
  return uid === undefined ? [] : indexer.byIndex(controllerIndex, uid);
}

/** The object's controller, if it is of this kind and in the cache. */
export function ownerIn<O extends KubeObject>(
  owners: Pick<ReadonlyStore<O>, "get">,
  object: KubeObject,
  kind: string,
): O | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const owner = owners.get(`${object.metadata.namespace}/${reference.name}`);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

/** `previous` is given only with updates of an object, to the owner that has it now. */
export interface OwnedChange<T extends KubeObject> {
  readonly type: "added" | "updated" | "deleted";
  readonly object: T;
  readonly previous?: T;
}

/** Wakes the owner. */
type Tell<T extends KubeObject, O extends KubeObject> = (owner: O, change: OwnedChange<T>, wake: Wake) => void;

/** The selector of the objects that an owner would adopt; undefined for an owner that adopts nothing. */
type SelectorOf<O extends KubeObject> = (owner: O) => Selector | undefined;

interface OwnedChangesOptions<T extends KubeObject, O extends KubeObject> {
  /** The cache of the owners. */
  readonly owners: ReadonlyStore<O>;
  /** The owners' kind, as owner references name it. */
  readonly ownerKind: string;
  readonly selectorOf: SelectorOf<O>;
  readonly tell: Tell<T, O>;
}

/**
 * For `loop.watch`. An object that is being deleted counts as deleted from the first sight of it. Orphans wake every
 * owner that could adopt them; a deleted orphan wakes nobody. An object that was deleted and made anew in one step is a
 * delete and an add.
 */
export function ownedChanges<T extends KubeObject, O extends KubeObject>(
  options: OwnedChangesOptions<T, O>,
): (change: ObjectChange<T>, wake: Wake) => void {
  const { owners, ownerKind, selectorOf, tell } = options;
  const tellOwner = (of: T, change: OwnedChange<T>, wake: Wake): void => {
    const owner = ownerIn(owners, of, ownerKind);
    if (owner !== undefined) tell(owner, change, wake);
  };
  const tellAdopters = (object: T, wake: Wake): void => {
    for (const owner of owners.byIndex(namespaceIndex, object.metadata.namespace ?? "")) {
      if (selectorOf(owner)?.matches(object.metadata.labels)) tell(owner, { type: "updated", object }, wake);
    }
  };
  const deleted = (object: T, wake: Wake): void => tellOwner(object, { type: "deleted", object }, wake);
  const added = (object: T, wake: Wake): void => {
    if (isDeleting(object)) deleted(object, wake);
    else if (controllerOf(object) === undefined) tellAdopters(object, wake);
    else tellOwner(object, { type: "added", object }, wake);
  };
  const updated = (previous: T, object: T, wake: Wake): void => {
    const [before, after] = [controllerOf(previous), controllerOf(object)];
    const isMoved = !deepEqual(before, after);
    if (isDeleting(object)) {
      deleted(object, wake);
      if (isMoved) deleted(previous, wake);
      return;
    }
    if (isMoved) tellOwner(previous, { type: "updated", object }, wake);
    if (after !== undefined) tellOwner(object, { type: "updated", object, previous }, wake);
    else if (isMoved || !deepEqual(previous.metadata.labels, object.metadata.labels)) tellAdopters(object, wake);
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

interface OwnedOptions<T extends KubeObject, O extends KubeObject> {
  readonly owners: FactoryInformer<O>;
  readonly objects: FactoryInformer<T>;
  /** Without it, owners adopt nothing. */
  readonly selectorOf?: SelectorOf<O>;
}

interface ClaimOptions<T extends KubeObject> extends Pick<ClaimInput<T>, "filter"> {
  /** By default all objects that the owner controls, and all orphans of its namespace. */
  readonly candidates?: readonly T[];
  /** A finalizer that is added on adoption and removed on release. */
  readonly finalizer?: string;
}

export class OwnedObjects<T extends KubeObject, O extends KubeObject> {
  readonly #owners: FactoryInformer<O>;
  readonly #objects: FactoryInformer<T>;
  readonly #selectorOf: SelectorOf<O>;

  /** Make it before the informers start. */
  constructor({ owners, objects, selectorOf = () => undefined }: OwnedOptions<T, O>) {
    this.#owners = owners;
    this.#objects = objects;
    this.#selectorOf = selectorOf;
    indexByController(objects);
  }

  /** Changes of the objects wake their owners: by default the owner's key, at once. */
  wakeOwners(loop: KeyLoop, tell: Tell<T, O> = (owner, _change, wake) => wake(metaNamespaceKey(owner))): void {
    const { indexer: owners, type } = this.#owners;
    loop.watch(this.#objects, ownedChanges({ owners, ownerKind: type.kind, selectorOf: this.#selectorOf, tell }));
  }

  controlledBy({ metadata }: KubeObject): T[] {
    return controlledBy(this.#objects, metadata.uid);
  }

  /** The objects that an owner may claim: those it controls, and those in its namespace that have no controller. */
  claimable(owner: O): T[] {
    const orphans = this.#objects.indexer.byIndex(controllerIndex, orphansIn(owner.metadata.namespace));
    return [...this.controlledBy(owner), ...orphans];
  }

  /**
   * Adopts and releases objects, and gives all that the owner then has. Before the first adoption the owner is read
   * live: an owner that is gone, replaced or being deleted adopts nothing. An object that vanished meanwhile is skipped;
   * any other failure is thrown after all objects have been tried.
   */
  async claim(owner: O, { client }: Pick<KeyRun, "client">, options: ClaimOptions<T> = {}): Promise<readonly T[]> {
    const { candidates = this.claimable(owner), filter, finalizer } = options;
    const selector = this.#selectorOf(owner);
    if (selector === undefined) return [];
    const { owned, adopt, release }: Claim<T> = claim({ owner, selector, candidates, filter });
    if (adopt.length > 0) checkAdopter(owner, await client.resource(this.#owners.type).get(owner.metadata));
    const failures: unknown[] = [];
    const patch = async (object: T, change: object, isFine: (error: unknown) => boolean): Promise<T | undefined> => {
      try {
        // the uid is a precondition: a new object of the same name is left alone
        const metadata = { uid: object.metadata.uid, ...change };
        return await client.resource(this.#objects.type).patch(object.metadata, { strategic: { metadata } });
      } catch (error) {
        if (!isFine(error)) failures.push(error);
        return undefined;
      }
    };
    const mark = finalizer === undefined ? {} : { finalizers: [finalizer] };
    const adopted: T[] = [];
    for (const object of adopt) {
      const ownerReferences = [newControllerRef(owner, this.#owners.type)];
      const mine = await patch(object, { ownerReferences, ...mark }, isNotFound);
      if (mine !== undefined) adopted.push(mine);
    }
    const dropOwner = { ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }] };
    const unmark = finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] };
    // gone, or released by somebody else: the result is the wanted one
    const isReleased = (error: unknown): boolean => isNotFound(error) || isInvalid(error);
    for (const object of release) await patch(object, { ...dropOwner, ...unmark }, isReleased);
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} adoptions or releases failed`);
    return [...owned, ...adopted];
  }
}

/** Throws if the owner may not adopt. */
function checkAdopter({ kind, metadata: { namespace, name, uid } }: KubeObject, { metadata: live }: KubeObject): void {
  if (live.uid !== uid)
    throw new Error(`original ${kind} ${namespace}/${name} is gone: got uid ${live.uid}, wanted ${uid}`);
  if (live.deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${live.deletionTimestamp}`);
}
