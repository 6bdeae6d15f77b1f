/** Decides whether a pod fits a node, both as the cluster is now and with the pods that are nominated to the node. Pure. */
import type { Filter, FitTest, NodeTest } from "../filters/filter.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { AnswersToKind } from "./answers.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";

export interface FitOptions {
  readonly filters: readonly Filter[];
  /** The answers of the view's nodes to pods like this one; without them, all filters are asked. */
  readonly answers?: AnswersToKind | undefined;
  /** Gives the pods that are nominated to a node: others were removed for them. */
  readonly promised?: (node: string) => readonly PodInfo[];
}

/**
 * A pod must fit beside the nominated pods of at least its own priority, and also without them, because they may end up
 * elsewhere.
 */
export function fitTest(pod: PodInfo, view: ClusterView, { filters, answers, promised }: FitOptions): FitTest {
  const asItIs = answers === undefined ? askAll(pod, view, filters) : askOnce(pod, view, { filters, answers });
  if (promised === undefined) return asItIs;
  return (node) => {
    const all = promised(node.name);
    if (all.length === 0) return asItIs(node);
    const guests = all.filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
    if (guests.length === 0) return asItIs(node);
    const fuller = node.copy();
    for (const guest of guests) fuller.add(guest);
    return askAll(pod, withNode(view, fuller), filters)(fuller) ?? asItIs(node);
  };
}

/** As `askAll`, but the filters of single nodes that stand before all others are asked once for pods that are alike. */
function askOnce(
  pod: PodInfo,
  view: ClusterView,
  { filters, answers }: { readonly filters: readonly Filter[]; readonly answers: AnswersToKind },
): FitTest {
  const other = filters.findIndex(({ isOfNode }) => !isOfNode);
  const split = other === -1 ? filters.length : other;
  const ofNode = askAll(pod, view, filters.slice(0, split));
  const ofCluster = askAll(pod, view, filters.slice(split));
  return (node) => answers.refusal(node, ofNode) ?? ofCluster(node);
}

/** Asks all filters; the first refusal counts. */
function askAll(pod: PodInfo, view: ClusterView, filters: readonly Filter[]): FitTest {
  const tests: { readonly filter: string; readonly test: NodeTest }[] = [];
  for (const filter of filters) {
    const test = filter.prepare(pod, view);
    if (test !== undefined) tests.push({ filter: filter.name, test });
  }
  return (node) => {
    for (const { filter, test } of tests) {
      const refusal = test(node);
      if (refusal !== undefined) return { ...refusal, filter };
    }
    return undefined;
  };
}

/** The cluster with this node in place of the node of the same name. */
export function withNode(view: ClusterView, node: NodeInfo): ClusterView {
  return {
    nodes: view.nodes.map((other) => (other.name === node.name ? node : other)),
    node: (name) => (name === node.name ? node : view.node(name)),
    namespaceLabels: (name) => view.namespaceLabels(name),
    serviceLabels: (namespace, labels) => view.serviceLabels(namespace, labels),
    ofOwner: (uid) => withSiblings(view.ofOwner(uid), { uid, node, instead: view.node(node.name) }),
    anyBelow: (priority) => view.anyBelow(priority),
    claimUsers: (key) => view.claimUsers(key) - usersOn(view.node(node.name), key) + usersOn(node, key),
    podsWithAffinity: view.podsWithAffinity + node.withAffinity.size,
    podsWithRequiredAntiAffinity: view.podsWithRequiredAntiAffinity + node.withRequiredAntiAffinity.size,
  };
}

interface Replacement {
  readonly uid: string;
  readonly node: NodeInfo;
  readonly instead: NodeInfo | undefined;
}

function withSiblings(
  counts: ReadonlyMap<NodeInfo, number>,
  { uid, node, instead }: Replacement,
): ReadonlyMap<NodeInfo, number> {
  const changed = new Map(counts);
  if (instead !== undefined) changed.delete(instead);
  let siblings = 0;
  for (const { owner, isDeleting } of node.pods.values()) if (owner === uid && !isDeleting) siblings++;
  return siblings === 0 ? changed : changed.set(node, siblings);
}

function usersOn(node: NodeInfo | undefined, claim: string): number {
  let users = 0;
  for (const { claims } of node?.pods.values() ?? []) if (claims.some(({ key }) => key === claim)) users++;
  return users;
}
