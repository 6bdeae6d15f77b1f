/** An index over pods by their node, shared by all parts of the process. */
import type { Pod } from "../api/index.js";
import type { FactoryInformer, ReadonlyStore } from "../informer/index.js";

const indexName = "node-name";

const nodesOf = ({ spec }: Pod): readonly string[] => (spec?.nodeName ? [spec.nodeName] : []);

/** Call it while wiring, before the informers start. */
export function indexByNode(pods: FactoryInformer<Pod>): void {
  pods.addIndexers({ [indexName]: nodesOf });
}

export const podsOnNode = (pods: ReadonlyStore<Pod>, node: string): Pod[] => pods.byIndex(indexName, node);

/** The names of all nodes to which pods are bound, whether the nodes exist or not. */
export const nodesOfPods = (pods: ReadonlyStore<Pod>): readonly string[] => pods.listIndexFuncValues(indexName);

/** The keys alone, for code that only queues them. */
export const podKeysOnNode = (pods: ReadonlyStore<Pod>, node: string): string[] => pods.indexKeys(indexName, node);
