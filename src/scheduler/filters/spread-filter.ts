/** Keeps pods evenly spread over zones, hosts or other domains, where the pod requires it. */
import {
  deepEqual,
  type Labels,
  type Pod,
  requiredNodes,
  type Selector,
  type TopologySpreadConstraint,
  untoleratedTaint,
} from "../../api/index.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import { type PodInfo, withLabelKeys } from "../state/pod-info.js";
import { type ClusterEvent, type Filter, refusalOf } from "./filter.js";
import { repelling } from "./node-filters.js";

export interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  /** Whether the pods on this node count. */
  readonly counts: (node: NodeInfo) => boolean;
}

export function spreadsOf({ pod, labels }: PodInfo, when: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  const constraints = pod.spec?.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint) =>
    constraint.whenUnsatisfiable === when ? [compile(constraint, pod, labels)] : [],
  );
}

function compile(constraint: TopologySpreadConstraint, { spec }: Pod, labels: PodInfo["labels"]): Spread {
  const { topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys } = constraint;
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  const matches = nodeAffinityPolicy === "Honor" ? requiredNodes(spec) : () => true;
  return {
    topologyKey,
    maxSkew,
    minDomains,
    selector: withLabelKeys(labelSelector, matchLabelKeys, labels),
    counts: ({ node, taints }) =>
      node !== undefined &&
      matches(node) &&
      (nodeTaintsPolicy !== "Honor" || untoleratedTaint(taints, spec?.tolerations, repelling) === undefined),
  };
}

/** Terminating pods do not count; a selector of all pods counts none, as upstream. */
export function countMatching(node: NodeInfo, namespace: string, selector: Selector): number {
  if (selector.isEverything) return 0;
  let count = 0;
  for (const other of node.pods.values()) {
    if (other.namespace === namespace && !other.isDeleting && selector.matches(other.labels)) count++;
  }
  return count;
}

/** Only nodes with the keys of all constraints form domains. */
export const hasKeys = (labels: Labels, spreads: readonly Pick<Spread, "topologyKey">[]): boolean =>
  spreads.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey));

export const spreadFilter: Filter = {
  name: "PodTopologySpread",
  prepare(info, view) {
    const spreads = spreadsOf(info, "DoNotSchedule");
    if (spreads.length === 0) return undefined;
    const domains = spreads.map((spread) => domainsOf(spread, spreads, info, view));
    const noLabel = refusalOf("node(s) didn't match pod topology spread constraints (missing required label)", true);
    const tooMany = refusalOf("node(s) didn't match pod topology spread constraints");
    return (node) => {
      for (const [index, { topologyKey, maxSkew, selector }] of spreads.entries()) {
        const value = node.labels[topologyKey];
        if (value === undefined) return noLabel;
        const { counts, least } = domains[index] as Domains;
        const self = selector.matches(info.labels) ? 1 : 0;
        if ((counts.get(value) ?? 0) + self - least > maxSkew) return tooMany;
      }
      return undefined;
    };
  },
  mayFitAfter(event, info) {
    const spreads = spreadsOf(info, "DoNotSchedule");
    if (event.type === "node-set" || event.type === "node-removed") return changesDomains(event, spreads);
    if (!("pod" in event)) return false;
    const selects = ({ labels }: PodInfo): string => spreads.map(({ selector }) => selector.matches(labels)).join();
    if (event.pod.namespace !== info.namespace) return false;
    // a pod that begins to terminate no longer counts, as if it were gone
    if (event.type === "pod-changed" && event.pod.isDeleting === event.previous.isDeleting) {
      return selects(event.pod) !== selects(event.previous);
    }
    return selects(event.pod).includes("true");
  },
};

function changesDomains(
  event: Extract<ClusterEvent, { readonly type: "node-set" | "node-removed" }>,
  spreads: readonly Spread[],
): boolean {
  const { labels = {} } = event.node.metadata;
  const now = hasKeys(labels, spreads);
  if (event.type === "node-removed" || event.previous === undefined) return now;
  const { previous } = event;
  const { labels: earlier = {} } = previous.metadata;
  const before = hasKeys(earlier, spreads);
  if (now !== before) return true;
  if (!now) return false;
  return (
    spreads.some(({ topologyKey }) => labels[topologyKey] !== earlier[topologyKey]) ||
    !deepEqual(event.node.spec?.taints, previous.spec?.taints)
  );
}

interface Domains {
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

function domainsOf(spread: Spread, all: readonly Spread[], info: PodInfo, view: ClusterView): Domains {
  const counts = new Map<string, number>();
  for (const node of view.nodes) {
    const value = node.labels[spread.topologyKey];
    if (value === undefined || !hasKeys(node.labels, all) || !spread.counts(node)) continue;
    counts.set(value, (counts.get(value) ?? 0) + countMatching(node, info.namespace, spread.selector));
  }
  return { counts, least: counts.size < spread.minDomains ? 0 : Math.min(...counts.values()) };
}
