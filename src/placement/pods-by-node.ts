/** One index over pods, shared by everybody in the process: by the node they are on. */
import type { Pod } from "../api/index.js";
import type { FactoryInformer, ReadonlyStore } from "../informer/index.js";

const indexName = "node-name";

/** Adds the index unless somebody has. Call it while wiring, before the informers start. */
export function indexByNode(pods: FactoryInformer<Pod>): void {
  if (indexName in pods.indexer.indexers) return;
  pods.addIndexers({ [indexName]: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) });
}

export const podsOnNode = (pods: ReadonlyStore<Pod>, node: string): Pod[] => pods.byIndex(indexName, node);

/** Their keys alone, for whoever only queues them. */
export const podKeysOnNode = (pods: ReadonlyStore<Pod>, node: string): string[] => pods.indexKeys(indexName, node);
