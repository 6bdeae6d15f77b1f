/** An index of owned objects by the uid of their controller, shared by all controllers that use an informer. */
import { controllerOf, type KubeObject } from "../../api/index.js";
import type { FactoryInformer, ReadonlyStore } from "../../informer/index.js";

const indexName = "controller-uid";

/** Adds the index unless another controller has added it. Call it before the informers start. */
export function indexByController<T extends KubeObject>(informer: FactoryInformer<T>): void {
  if (indexName in informer.indexer.indexers) return;
  informer.addIndexers({
    [indexName]: (object) => [controllerOf(object)?.uid ?? orphansIn(object.metadata.namespace ?? "")],
  });
}

/** No uid has a slash, so the orphans of a namespace never mix with the objects of an owner. */
const orphansIn = (namespace: string): string => `orphans/${namespace}`;

export function controlledBy<T extends KubeObject>(store: ReadonlyStore<T>, uid: string | undefined): T[] {
  return uid === undefined ? [] : store.byIndex(indexName, uid);
}

/** The objects that an owner may claim: those it controls, and those in its namespace that have no controller. */
export function claimable<T extends KubeObject>(store: ReadonlyStore<T>, owner: KubeObject): T[] {
  const { uid, namespace = "" } = owner.metadata;
  return [...controlledBy(store, uid), ...store.byIndex(indexName, orphansIn(namespace))];
}
