/** Follows pods and volumes in the store; tells whether an object belongs to a node through them. */
import { getOrMake } from "../../../base/containers/recent.js";
import type { KubeObject, PersistentVolume, Pod } from "../../../api/index.js";
import type { Store, StoreEvent, StoreWatch } from "../../storage/contract.js";
import { type ReferenceKey, referencesOf, referenceTo, secretsOfPersistent } from "./references.js";

/** A pod's node and references, as they were counted. */
interface Counted {
  readonly node: string;
  readonly references: readonly ReferenceKey[];
}

/**
 * Invariants, when the watches are caught up:
 * 1. `#pods` has every pod with a node; `#nodes` counts, for each reference, the pods of each node that have it.
 * 2. `#volumes` has the secrets of every volume; `#bySecret` the names of the volumes of each such secret.
 */
export class NodeGraph implements Disposable {
  readonly #store: Store;
  readonly #pods = new Map<string, Counted>();
  readonly #nodes = new Map<ReferenceKey, Map<string, number>>();
  readonly #volumes = new Map<string, readonly ReferenceKey[]>();
  readonly #bySecret = new Map<ReferenceKey, Set<string>>();
  #watches: readonly StoreWatch[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the pods and volumes at the first call: a server that no node asks does no work. */
  #follow(): void {
    if (this.#watches.length > 0) {
      for (const watch of this.#watches) watch.catchUp();
      return;
    }
    const after = this.#store.revision;
    const all = (collection: string): Iterable<{ readonly key: string; readonly object: KubeObject }> =>
      this.#store.list({ collection, prefix: "", from: "" }).items;
    for (const { key, object } of all("pods")) this.#setPod(key, object as Pod);
    for (const { key, object } of all("persistentvolumes")) this.#setVolume(key, object as PersistentVolume);
    const follow = (collection: string, take: (key: string, object: KubeObject | undefined) => void): StoreWatch =>
      this.#store.watch({ collection, prefix: "", after }, (events: readonly StoreEvent[]) => {
        for (const event of events) take(event.key, event.current?.object);
      });
    this.#watches = [
      follow("pods", (key, object) => this.#setPod(key, object as Pod | undefined)),
      follow("persistentvolumes", (key, object) => this.#setVolume(key, object as PersistentVolume | undefined)),
    ];
  }

  #setPod(key: string, pod: Pod | undefined): void {
    const old = this.#pods.get(key);
    const node = pod?.spec?.nodeName ?? "";
    const next = pod === undefined || node === "" ? undefined : { node, references: [...referencesOf(pod)] };
    for (const reference of next?.references ?? []) this.#count(reference, node, 1);
    for (const reference of old?.references ?? []) this.#count(reference, (old as Counted).node, -1);
    if (next === undefined) this.#pods.delete(key);
    else this.#pods.set(key, next);
  }

  #count(reference: ReferenceKey, node: string, change: number): void {
    const nodes = getOrMake(this.#nodes, reference, () => new Map());
    const count = (nodes.get(node) ?? 0) + change;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size === 0) this.#nodes.delete(reference);
  }

  #setVolume(name: string, volume: PersistentVolume | undefined): void {
    for (const secret of this.#volumes.get(name) ?? []) {
      const names = this.#bySecret.get(secret);
      names?.delete(name);
      if (names?.size === 0) this.#bySecret.delete(secret);
    }
    const secrets = volume === undefined ? [] : [...new Set(secretsOfPersistent(volume))];
    if (secrets.length === 0) this.#volumes.delete(name);
    else this.#volumes.set(name, secrets);
    for (const secret of secrets) {
      const names = this.#bySecret.get(secret);
      if (names === undefined) this.#bySecret.set(secret, new Set([name]));
      else names.add(name);
    }
  }

  /** Whether a pod of the node refers to the object, directly or through a claim's volume. */
  reaches(node: string, resource: string, { namespace, name }: { namespace: string; name: string }): boolean {
    switch (resource) {
      case "pods":
        return this.#named<Pod>("pods", `${namespace}/${name}`)?.spec?.nodeName === node;
      case "volumeattachments":
        return this.#hasNode("storage.k8s.io/volumeattachments", name, node);
      case "resourceslices":
        return this.#hasNode("resource.k8s.io/resourceslices", name, node);
      case "podcertificaterequests":
        return this.#hasNode("certificates.k8s.io/podcertificaterequests", `${namespace}/${name}`, node);
      default:
    }
    this.#follow();
    if (resource === "persistentvolumes") return this.#reachesVolume(node, name);
    const reference = referenceTo(resource, namespace, name);
    if (this.#nodes.get(reference)?.has(node)) return true;
    if (resource !== "secrets") return false;
    return [...(this.#bySecret.get(reference) ?? [])].some((volume) => this.#reachesVolume(node, volume));
  }

  #reachesVolume(node: string, name: string): boolean {
    const claim = this.#named<PersistentVolume>("persistentvolumes", name)?.spec?.claimRef;
    if (claim === undefined) return false;
    return (
      this.#nodes.get(referenceTo("persistentvolumeclaims", claim.namespace ?? "", claim.name ?? ""))?.has(node) ??
      false
    );
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]();
  }

  #hasNode(collection: string, key: string, node: string): boolean {
    const object = this.#named<KubeObject & { readonly spec?: { readonly nodeName?: string } }>(collection, key);
    return object?.spec?.nodeName === node;
  }

  #named<T extends KubeObject>(collection: string, key: string): T | undefined {
    return this.#store.get(collection, key)?.object as T | undefined;
  }
}
