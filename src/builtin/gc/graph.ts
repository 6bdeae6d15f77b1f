/**
 * The graph of owners and dependents: takes the metadata of every object as it changes, gives the uids that must be
 * looked at. No I/O.
 *
 * Invariants (`assertSound`):
 * 1. `nodes` is keyed by uid, and a node's uid never changes.
 * 2. For every owner reference of a node there is a node with that uid, which has the first node among its dependents.
 * 3. Dependents are nodes of the graph that refer to their owner.
 * 4. A virtual node (never observed, only referred to) has no owners and at least one dependent.
 */
import type { ObjectMeta, OwnerReference } from "../../api/index.js";

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/** The coordinates of an object. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-wide object. For an object that is only referred to: the namespace of the object that refers to it. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  /** Undefined for the many objects that have never owned another: an empty set takes more memory than the rest of a node. */
  dependents: Set<GraphNode> | undefined;
  /** The object is being deleted in the foreground: its finalizer keeps it until its dependents are gone. */
  deletingDependents: boolean;
  beingDeleted: boolean;
  /** Only referred to, never observed: its existence must be verified before anything is decided from it. */
  virtual: boolean;
  /** The object existed and does no more; a virtual node stands for it as long as another object refers to it. */
  gone: boolean;
}

/** The uids to look at after a change. */
export interface ToLookAt {
  readonly toDelete: Set<string>;
  readonly toOrphan: Set<string>;
}

export interface ObservedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

function identityOf({ apiVersion, kind, metadata }: ObservedObject): Identity {
  return { apiVersion, kind, namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid ?? "" };
}

export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Call it when an object was added or changed. */
  observe(object: ObservedObject): ToLookAt {
    const wake: ToLookAt = { toDelete: new Set(), toOrphan: new Set() };
    const identity = identityOf(object);
    const owners = object.metadata.ownerReferences ?? noOwners;
    const known = this.#nodes.get(identity.uid);
    const node = known ?? newNode(identity, false);
    const before = { owners: node.owners, beingDeleted: node.beingDeleted && !node.virtual };
    if (node.virtual || identity.apiVersion !== node.identity.apiVersion) this.#becomesReal(node, identity, wake);
    this.#nodes.set(identity.uid, node);
    this.#changeOwners(node, before.owners, owners, wake);
    this.#noteDeletion(node, object.metadata, wake);
    return wake;
  }

  /** Call it when an object is gone. Its dependents must be looked at, and owners that waited for it. */
  remove(uid: string): ToLookAt {
    const wake: ToLookAt = { toDelete: new Set(), toOrphan: new Set() };
    const node = this.#nodes.get(uid);
    if (node === undefined) return wake;
    this.#nodes.delete(uid);
    for (const { uid: ownerUid } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      if (owner === undefined) continue;
      owner.dependents?.delete(node);
      if (owner.deletingDependents) wake.toDelete.add(ownerUid);
      this.#dropIfUnreferenced(owner);
    }
    for (const dependent of dependentsOf(node)) wake.toDelete.add(dependent.identity.uid);
    // objects that still refer to it need a node: a virtual one stays until the last of them is gone
    if (hasDependents(node)) this.#nodes.set(uid, becomesVirtual(node));
    return wake;
  }

  /** The dependents that block the deletion of an owner which waits for its dependents. */
  blockingDependents(node: GraphNode): readonly GraphNode[] {
    const { uid } = node.identity;
    return [...dependentsOf(node)].filter((dependent) =>
      dependent.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  assertSound(): void {
    for (const [uid, node] of this.#nodes) {
      if (node.identity.uid !== uid) throw new Error(`invariant 1: ${uid} holds ${node.identity.uid}`);
      for (const owner of node.owners) {
        if (!this.#nodes.get(owner.uid)?.dependents?.has(node)) throw new Error(`invariant 2: ${uid} → ${owner.uid}`);
      }
      for (const dependent of dependentsOf(node)) {
        const refers = dependent.owners.some((owner) => owner.uid === uid);
        if (this.#nodes.get(dependent.identity.uid) !== dependent || !refers) {
          throw new Error(`invariant 3: ${dependent.identity.uid} does not depend on ${uid}`);
        }
      }
      if (node.virtual && (node.owners.length > 0 || !hasDependents(node))) {
        throw new Error(`invariant 4: ${uid} is virtual`);
      }
    }
  }

  #becomesReal(node: GraphNode, identity: Identity, wake: ToLookAt): void {
    node.virtual = false;
    node.gone = false;
    node.identity = identity;
    // dependents that name it by other coordinates refer to an object that does not exist
    for (const dependent of dependentsOf(node)) {
      if (!refersTo(dependent, identity)) wake.toDelete.add(dependent.identity.uid);
    }
  }

  #changeOwners(
    node: GraphNode,
    before: readonly OwnerReference[],
    after: readonly OwnerReference[],
    wake: ToLookAt,
  ): void {
    // unchanged: objects of one owner often share one array of references
    if (before === after) return;
    node.owners = after;
    const now = new Map(after.map((owner) => [owner.uid, owner]));
    for (const old of before) {
      const owner = this.#nodes.get(old.uid);
      const kept = now.get(old.uid);
      const unblocked = old.blockOwnerDeletion === true && kept?.blockOwnerDeletion !== true;
      if (unblocked && owner !== undefined) wake.toDelete.add(old.uid);
      if (kept !== undefined || owner === undefined) continue;
      owner.dependents?.delete(node);
      this.#dropIfUnreferenced(owner);
    }
    for (const reference of now.values()) {
      const owner = this.#nodes.get(reference.uid) ?? this.#refer(reference, node, wake);
      // no more events will come for an owner that is gone: a new dependent of it must be looked at now
      const dependents = (owner.dependents ??= new Set());
      const isLate = owner.gone && !dependents.has(node);
      dependents.add(node);
      if (isLate || (!owner.virtual && !refersTo(node, owner.identity))) wake.toDelete.add(node.identity.uid);
    }
  }

  #refer(reference: OwnerReference, from: GraphNode, wake: ToLookAt): GraphNode {
    const { apiVersion, kind, name, uid } = reference;
    const owner = newNode({ apiVersion, kind, name, uid, namespace: from.identity.namespace }, true);
    this.#nodes.set(uid, owner);
    wake.toDelete.add(uid);
    return owner;
  }

  #noteDeletion(node: GraphNode, metadata: ObjectMeta, wake: ToLookAt): void {
    const deleting = metadata.deletionTimestamp !== undefined;
    const finalizers = metadata.finalizers ?? [];
    node.beingDeleted = deleting;
    if (deleting && finalizers.includes(orphanFinalizer)) wake.toOrphan.add(node.identity.uid);
    if (deleting && finalizers.includes(foregroundFinalizer)) {
      node.deletingDependents = true;
      for (const dependent of dependentsOf(node)) wake.toDelete.add(dependent.identity.uid);
      wake.toDelete.add(node.identity.uid);
    }
  }

  #dropIfUnreferenced(node: GraphNode): void {
    if (node.virtual && !hasDependents(node)) this.#nodes.delete(node.identity.uid);
  }
}

const noOwners: readonly OwnerReference[] = [];
const noDependents: ReadonlySet<GraphNode> = new Set();

export const dependentsOf = ({ dependents }: GraphNode): ReadonlySet<GraphNode> => dependents ?? noDependents;

export const hasDependents = (node: GraphNode): boolean => dependentsOf(node).size > 0;

function newNode(identity: Identity, virtual: boolean): GraphNode {
  return {
    identity,
    owners: noOwners,
    dependents: undefined,
    deletingDependents: false,
    beingDeleted: false,
    virtual,
    gone: false,
  };
}

function becomesVirtual(node: GraphNode): GraphNode {
  return Object.assign(node, {
    owners: noOwners,
    virtual: true,
    gone: true,
    deletingDependents: false,
    beingDeleted: false,
  });
}

/** True if the node's reference has the owner's coordinates: group, kind, name, and a namespace that the reference can reach. */
function refersTo(node: GraphNode, owner: Identity): boolean {
  const reference = node.owners.find(({ uid }) => uid === owner.uid);
  if (reference === undefined) return false;
  const group = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] as string) : "");
  const reachable = owner.namespace === "" || owner.namespace === node.identity.namespace;
  return (
    reachable &&
    reference.kind === owner.kind &&
    reference.name === owner.name &&
    group(reference.apiVersion) === group(owner.apiVersion)
  );
}
