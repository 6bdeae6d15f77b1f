/** Processes one object: reads it and its owners live, then keeps, orphans or deletes it. */
import {
  deepEqual,
  isConflict,
  isNotFound,
  isUnsupportedMediaType,
  type ObjectMeta,
  type OwnerReference,
  unless,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import {
  type DiscoveredResource,
  type PartialObjectMetadata,
  retryOnConflict,
  type WorkClient,
} from "../../client/index.js";
import type { KeyRun } from "../../controller/index.js";
import type { Recorder } from "../kit/context.js";
import type { AbsentOwners } from "./absent-owners.js";
import {
  dependentsOf,
  foregroundFinalizer,
  type GraphNode,
  hasDependents,
  type Identity,
  orphanFinalizer,
  type OwnerGraph,
} from "./graph.js";

export interface CollectorOptions {
  readonly graph: OwnerGraph;
  readonly absent: AbsentOwners;
  readonly recorder: Recorder;
  /** Called when the object is known not to exist (any more). */
  gone(identity: Identity): void;
  /** Enqueues this uid too. */
  lookAt(uid: string): void;
}

type Policy = "Orphan" | "Foreground" | "Background";

interface Classified {
  /** The owner exists and stays. */
  readonly solid: readonly OwnerReference[];
  /** The owner does not exist, or another object has its name. */
  readonly dangling: readonly OwnerReference[];
  /** The owner is being deleted, and waits until this object is gone. */
  readonly waiting: readonly OwnerReference[];
}

export class Collector {
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Deletes the object if no owner keeps it. Never decides from the graph alone: it reads the object and its owners live. */
  async attemptToDelete(node: GraphNode, run: KeyRun): Promise<void> {
    const { identity } = node;
    if (node.beingDeleted && !node.deletingDependents) return;
    const type = await run.client.discovery.findKind(identity, run);
    const live = await readMetadata(run.client, type, identity);
    if (live === undefined || live.metadata.uid !== identity.uid) return this.#options.gone(identity);
    // the object exists, but its events have not come yet: they will say what to do
    if (node.virtual) return;
    if (node.deletingDependents) return this.#finishForeground(node, run);
    const owners = live.metadata.ownerReferences ?? [];
    if (owners.length === 0) return;
    const classified = await this.#classify(node, owners, run);
    if (classified === undefined) return;
    const { solid, dangling, waiting } = classified;
    if (solid.length > 0) {
      const loose = [...dangling, ...waiting];
      if (loose.length > 0) await this.#dropReferences(identity, loose, run);
    } else if (waiting.length > 0 && hasDependents(node)) {
      await this.#deleteInForeground(node, live, run);
    } else {
      await this.#delete(identity, live.metadata, policyOf(live.metadata), run);
    }
  }

  /** Removes the owner from the references of all its dependents, then removes the owner's orphan finalizer. */
  async attemptToOrphan(node: GraphNode, run: KeyRun): Promise<void> {
    const { uid } = node.identity;
    await Promise.all(
      [...dependentsOf(node)].map((dependent) => {
        const references = dependent.owners.filter((owner) => owner.uid === uid);
        return this.#dropReferences(dependent.identity, references, run);
      }),
    );
    await this.#removeFinalizer(node.identity, orphanFinalizer, run);
  }

  async #finishForeground(node: GraphNode, run: KeyRun): Promise<void> {
    const blocking = this.#options.graph.blockingDependents(node);
    if (blocking.length === 0) return this.#removeFinalizer(node.identity, foregroundFinalizer, run);
    for (const dependent of blocking) if (!dependent.deletingDependents) this.#options.lookAt(dependent.identity.uid);
  }

  async #deleteInForeground(node: GraphNode, live: PartialObjectMetadata, run: KeyRun): Promise<void> {
    const owners = live.metadata.ownerReferences ?? [];
    // a dependent that waits for its own dependents may wait for this object: a cycle, which is broken here
    if ([...dependentsOf(node)].some(({ deletingDependents }) => deletingDependents)) {
      const unblocked = owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      await this.#patchReferences(node.identity, live.metadata, unblocked, run);
    }
    await this.#delete(node.identity, live.metadata, "Foreground", run);
  }

  /** Undefined for a cluster-wide object with a namespaced owner: the owner's namespace is unknown, so the object stays. */
  async #classify(node: GraphNode, owners: readonly OwnerReference[], run: KeyRun): Promise<Classified | undefined> {
    const kinds = await Promise.all(owners.map((owner) => this.#judge(node, owner, run)));
    if (kinds.includes("unknowable")) return undefined;
    const ofKind = (kind: keyof Classified): readonly OwnerReference[] =>
      owners.filter((_owner, i) => kinds[i] === kind);
    return { solid: ofKind("solid"), dangling: ofKind("dangling"), waiting: ofKind("waiting") };
  }

  async #judge(node: GraphNode, owner: OwnerReference, run: KeyRun): Promise<keyof Classified | "unknowable"> {
    const { absent } = this.#options;
    const { client } = run;
    const { namespace } = node.identity;
    if (absent.has(owner, namespace)) {
      this.#reportIfElsewhere(node, owner);
      return "dangling";
    }
    const type = await client.discovery.findKind(owner, run);
    if (namespace === "" && type.scope === "Namespaced") return "unknowable";
    const live = await readMetadata(client, type, { ...owner, namespace });
    if (live === undefined || live.metadata.uid !== owner.uid) {
      absent.add(owner, type.scope === "Namespaced" ? namespace : "");
      this.#reportIfElsewhere(node, owner);
      return "dangling";
    }
    const { deletionTimestamp, finalizers = [] } = live.metadata;
    return deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer) ? "waiting" : "solid";
  }

  /** Records an event if the owner exists in another namespace, which explains why the object is deleted. */
  #reportIfElsewhere({ identity }: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): void {
    const { graph, recorder } = this.#options;
    const { namespace } = identity;
    const known = graph.get(uid);
    if (known === undefined || known.virtual || ["", namespace].includes(known.identity.namespace)) return;
    const text = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const child = { ...identity, metadata: { name: identity.name, namespace, uid: identity.uid } };
    const message = `ownerRef ${text} does not exist in namespace ${JSON.stringify(namespace)}`;
    recorder.warning(child, "OwnerRefInvalidNamespace", message);
  }

  /** Deletes only the object that was judged: the same uid, and no change of its owner references since. */
  async #delete(identity: Identity, seen: ObjectMeta, propagationPolicy: Policy, run: KeyRun): Promise<void> {
    const { client } = run;
    const type = await client.discovery.findKind(identity, run);
    const { uid } = identity;
    const remove = (preconditions: { uid: string; resourceVersion?: string }) =>
      client.resource(type).delete(identity, { propagationPolicy, preconditions });
    try {
      await remove({ uid, ...defined({ resourceVersion: seen.resourceVersion }) });
    } catch (error) {
      if (isNotFound(error)) return this.#options.gone(identity);
      if (!isConflict(error)) throw error;
      const live = await readMetadata(client, type, identity);
      if (live === undefined || live.metadata.uid !== uid) return this.#options.gone(identity);
      if (!deepEqual(live.metadata.ownerReferences, seen.ownerReferences)) throw error;
      await remove({ uid });
    }
  }

  async #dropReferences(identity: Identity, loose: readonly OwnerReference[], run: KeyRun): Promise<void> {
    const { client } = run;
    const type = await client.discovery.findKind(identity, run);
    const uids = new Set(loose.map(({ uid }) => uid));
    const ownerReferences = [...uids].map((uid) => ({ $patch: "delete", uid }));
    try {
      await client.resource(type).patch(identity, { strategic: { metadata: { uid: identity.uid, ownerReferences } } });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isUnsupportedMediaType(error)) throw error;
      const live = await readMetadata(client, type, identity);
      if (live === undefined || live.metadata.uid !== identity.uid) return;
      const kept = (live.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
      await this.#patchReferences(identity, live.metadata, kept, run);
    }
  }

  async #patchReferences(
    identity: Identity,
    { resourceVersion }: ObjectMeta,
    ownerReferences: readonly OwnerReference[],
    run: KeyRun,
  ): Promise<void> {
    const type = await run.client.discovery.findKind(identity, run);
    const metadata = { uid: identity.uid, resourceVersion, ownerReferences };
    await run.client.resource(type).patch(identity, { merge: { metadata } });
  }

  async #removeFinalizer(identity: Identity, finalizer: string, run: KeyRun): Promise<void> {
    const { client } = run;
    const type = await client.discovery.findKind(identity, run);
    await retryOnConflict(async () => {
      const live = await readMetadata(client, type, identity);
      const { finalizers = [], resourceVersion } = live?.metadata ?? {};
      if (live?.metadata.uid !== identity.uid || !finalizers.includes(finalizer)) return;
      const metadata = { resourceVersion, finalizers: finalizers.filter((one) => one !== finalizer) };
      await client.resource(type).patch(identity, { merge: { metadata } });
    }, run).catch(unless(isNotFound));
  }
}

/** The deletion policy that the object's finalizers ask for; by default background. */
function policyOf({ finalizers = [] }: ObjectMeta): Policy {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

function readMetadata(
  client: WorkClient,
  type: DiscoveredResource,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<PartialObjectMetadata | undefined> {
  const scope = type.scope === "Namespaced" ? { namespace } : {};
  return client.metadata(type, scope).get(name).catch(unless(isNotFound));
}
