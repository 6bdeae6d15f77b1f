/** The constraints by which a pod is spread: its own or, without any, those of the profile. */
import {
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
import { repelling } from "./node-filters.js";

export interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Whether the pods on this node count. */
  readonly counts: (node: NodeInfo) => boolean;
  /** The number of pods on a node that the constraint is about. */
  readonly matching: (node: NodeInfo) => number;
  /** All of these numbers above zero, if they are known without asking each node. */
  readonly known?: ReadonlyMap<NodeInfo, number>;
  /** Whether the constraint is about the pod itself. */
  readonly matchesSelf: boolean;
}

type Unsatisfiable = "DoNotSchedule" | "ScheduleAnyway";

/** Constraints for pods without their own; a pod's controller and services say which pods they are about. */
export interface DefaultSpreads {
  readonly constraints: readonly TopologySpreadConstraint[];
  /** Whether nodes that lack a constraint's label are rated too, by the others. */
  readonly acceptsMissingLabels: boolean;
}

/** Siblings spread over hosts and, more loosely, over zones. */
export const systemSpreads: DefaultSpreads = {
  constraints: [
    { topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
    { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
  ],
  acceptsMissingLabels: true,
};

export const hasOwnSpreads = ({ spec }: Pod): boolean => (spec?.topologySpreadConstraints?.length ?? 0) > 0;

/** The pod's own constraints of this kind, or the profile's if the pod has none of any kind. */
export function spreadsOf(
  info: PodInfo,
  {
    view,
    when,
    defaults,
  }: { readonly view: ClusterView; readonly when: Unsatisfiable; readonly defaults: DefaultSpreads },
): readonly Spread[] {
  if (hasOwnSpreads(info.pod)) return ownSpreads(info, when).map(({ spread }) => spread);
  const constraints = defaults.constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when);
  const found = constraints.length === 0 ? undefined : siblings(info, view);
  if (found === undefined) return [];
  return constraints.map((constraint) => ({ matchesSelf: true, ...bounds(constraint, info.pod), ...found }));
}

/** The pod's own constraints, with the selectors of the pods that they are about. */
export function ownSpreads(
  { pod, labels, namespace }: PodInfo,
  when: Unsatisfiable,
): readonly { readonly spread: Spread; readonly selector: Selector }[] {
  const constraints = pod.spec?.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint) => {
    if (constraint.whenUnsatisfiable !== when) return [];
    const selector = withLabelKeys(constraint.labelSelector, constraint.matchLabelKeys, labels);
    const matching = (node: NodeInfo): number => countMatching(node, namespace, selector);
    const spread = { matching, matchesSelf: selector.matches(labels), ...bounds(constraint, pod) };
    return [{ spread, selector }];
  });
}

function bounds(
  constraint: TopologySpreadConstraint,
  { spec }: Pod,
): Pick<Spread, "topologyKey" | "maxSkew" | "minDomains" | "counts"> {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  const matches = nodeAffinityPolicy === "Honor" ? requiredNodes(spec) : () => true;
  return {
    topologyKey,
    maxSkew,
    minDomains,
    counts: ({ node, taints }) =>
      node !== undefined &&
      matches(node) &&
      (nodeTaintsPolicy !== "Honor" || untoleratedTaint(taints, spec?.tolerations, repelling) === undefined),
  };
}

/** Terminating pods do not count; a selector of all pods counts none, as upstream. */
function countMatching(node: NodeInfo, namespace: string, selector: Selector): number {
  if (selector.isEverything) return 0;
  let count = 0;
  for (const other of node.pods.values()) {
    if (other.namespace === namespace && !other.isDeleting && selector.matches(other.labels)) count++;
  }
  return count;
}

/**
 * Counts siblings: pods of the same controller or, without one, pods that the pod's services select. Undefined if there
 * is neither.
 */
function siblings(
  { owner, namespace, labels }: PodInfo,
  view: ClusterView,
): Pick<Spread, "matching" | "known"> | undefined {
  if (owner !== undefined) {
    const known = view.ofOwner(owner);
    return { matching: (node) => known.get(node) ?? 0, known };
  }
  const selected = Object.entries(view.serviceLabels(namespace, labels));
  if (selected.length === 0) return undefined;
  const isSelected = (other: Labels): boolean => selected.every(([key, value]) => other[key] === value);
  const matching = (node: NodeInfo): number => {
    let count = 0;
    for (const other of node.pods.values()) {
      if (other.namespace === namespace && !other.isDeleting && isSelected(other.labels)) count++;
    }
    return count;
  };
  return { matching };
}

/** Only nodes with the keys of all constraints form domains. */
export const hasKeys = (labels: Labels, spreads: readonly Pick<Spread, "topologyKey">[]): boolean =>
  spreads.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey));
