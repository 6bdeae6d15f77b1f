/** Objects of one kind in a namespace, straight from the store. To plug-ins that judge by them. */
import type { KubeObject } from "../../../api/index.js";
import type { Store } from "../../storage/contract.js";

/** Costs nothing where there are none at all, which is the usual case. */
export function inNamespace<T extends KubeObject>(store: Store, collection: string, namespace: string): readonly T[] {
  if (store.count(collection) === 0) return [];
  const { items } = store.list({ collection, prefix: `${namespace}/`, from: "" });
  return items.map(({ object }) => object as T);
}
