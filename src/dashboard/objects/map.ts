/** The cluster as a map: takes nodes and pods, gives each node with its pods and their state. Pure. */
import { isConditionTrue, type Node, type Pod } from "../../api/index.js";
import type { ClusterMap, MapNode, MapPod } from "../wire.js";
import { stateOf } from "./state.js";

/** More pods than this on one node are counted, not drawn. */
const mostPods = 250;

export function mapOf(
  nodes: readonly Node[],
  pods: readonly Pod[],
): Omit<ClusterMap, "revision" | "workloads" | "workloadsMore"> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = pod.spec?.nodeName ?? "";
    const known = byNode.get(name);
    if (known === undefined) byNode.set(name, [pod]);
    else known.push(pod);
  }
  const unassigned = shownPods(byNode.get("") ?? []);
  const sorted = nodes.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name, "en", { numeric: true }));
  return {
    nodes: sorted.map((node) => nodeOf(node, byNode.get(node.metadata.name) ?? [])),
    unassigned: unassigned.pods,
    unassignedMore: unassigned.more,
  };
}

function nodeOf({ metadata, spec, status }: Node, pods: readonly Pod[]): MapNode {
  return {
    name: metadata.name,
    isReady: isConditionTrue(status?.conditions, "Ready"),
    isCordoned: spec?.unschedulable === true,
    capacity: Number(status?.allocatable?.["pods"] ?? 0),
    ...shownPods(pods),
  };
}

function shownPods(all: readonly Pod[]): { readonly pods: readonly MapPod[]; readonly more: number } {
  const key = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name}`;
  const pods = all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, mostPods);
  const shown = pods.map((pod): MapPod => {
    const { namespace = "", name } = pod.metadata;
    return { namespace, name, ...stateOf(pod) };
  });
  return { pods: shown, more: all.length - shown.length };
}
