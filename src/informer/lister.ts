/** Reads from a cache, by name, by namespace and by label; gives shared, readonly objects. */
import { type GroupResource, type KubeObject, newNotFound, type Selector } from "../api/index.js";
import { namespaceIndex, type ReadonlyStore } from "./store/indexer.js";

/** Nothing is copied and nothing is ordered: sort your own list, change your own object. */
export interface NamespaceLister<T> {
  /** All objects, or those with matching labels. */
  list(selector?: Selector): T[];
  /** Undefined if the cache lacks the object. */
  find(name: string): T | undefined;
  /** Throws NotFound, as the API does, if the cache lacks the object. */
  get(name: string): T;
}

export interface Lister<T> extends NamespaceLister<T> {
  /** "" for all namespaces. */
  namespace(namespace: string): NamespaceLister<T>;
}

/** `get` and `find` on the lister itself take the name of a cluster-wide object, or a `namespace/name` key. */
export function createLister<T extends Pick<KubeObject, "metadata">>(
  store: ReadonlyStore<T>,
  resource: GroupResource,
): Lister<T> {
  return {
    list: (selector) => selected(selector, () => store.list()),
    find: (key) => store.get(key),
    get: (key) => store.get(key) ?? notFound(resource, key),
    namespace(namespace) {
      const find = (name: string): T | undefined => store.get(`${namespace}/${name}`);
      return {
        list: (selector) => selected(selector, () => inNamespace(store, namespace)),
        find,
        get: (name) => find(name) ?? notFound(resource, name),
      };
    },
  };
}

function selected<T extends Pick<KubeObject, "metadata">>(selector: Selector | undefined, all: () => T[]): T[] {
  if (selector === undefined || selector.isEverything) return all();
  if (selector.isNothing) return [];
  return all().filter(({ metadata }) => selector.matches(metadata.labels));
}

/** Uses the namespace index if there is one, else a scan. */
function inNamespace<T extends Pick<KubeObject, "metadata">>(store: ReadonlyStore<T>, namespace: string): T[] {
  if (namespace === "") return store.list();
  if (namespaceIndex in store.indexers) return store.byIndex(namespaceIndex, namespace);
  return store.list().filter(({ metadata }) => metadata.namespace === namespace);
}

function notFound(resource: GroupResource, key: string): never {
  throw newNotFound(resource, key.slice(key.indexOf("/") + 1));
}
