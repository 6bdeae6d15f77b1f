/** Filters that look at one node by itself: its name, taints, labels, ports and resources. */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from "../../../api/index.js";
import type { NodeInfo } from "../state/node-info.js";
import type { Amounts } from "../state/resources.js";
import { type Filter, type Refusal, refusal } from "./filter.js";

export const nodeNameFilter: Filter = {
  name: "NodeName",
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName;
    if (!wanted) return undefined;
    const no = refusal("node(s) didn't match the requested node name", true);
    return ({ name }) => (name === wanted ? undefined : no);
  },
  wakesOn: new Set(),
};

const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

export const unschedulableFilter: Filter = {
  name: "NodeUnschedulable",
  prepare({ pod }) {
    if (tolerates(pod.spec?.tolerations, unschedulableTaint)) return undefined;
    const no = refusal("node(s) were unschedulable", true);
    return ({ node }) => (node?.spec?.unschedulable ? no : undefined);
  },
  wakesOn: new Set(["node-schedulable", "node-taints"]),
};

export const taintFilter: Filter = {
  name: "TaintToleration",
  prepare({ pod }) {
    const no = refusal("node(s) had untolerated taint(s)", true);
    const { tolerations } = pod.spec ?? {};
    return ({ node }) => (hasUntolerated(node, tolerations) ? no : undefined);
  },
  wakesOn: new Set(["node-taints"]),
};

export function hasUntolerated(node: Node | undefined, tolerations: readonly Toleration[] | undefined): boolean {
  const taints = node?.spec?.taints;
  if (taints === undefined || taints.length === 0) return false;
  return taints.some(
    (taint) => (taint.effect === "NoSchedule" || taint.effect === "NoExecute") && !tolerates(tolerations, taint),
  );
}

export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  tolerations?.some((toleration) => toleratesTaint(toleration, taint)) ?? false;

export function toleratesTaint({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator ?? "") {
    case "":
    case "Equal":
      return (value ?? "") === (taint.value ?? "");
    case "Exists":
      return true;
    case "Lt":
    case "Gt": {
      const [limit, actual] = [integer(value), integer(taint.value)];
      if (limit === undefined || actual === undefined) return false;
      return operator === "Lt" ? actual < limit : actual > limit;
    }
    default:
      return false;
  }
}

/** As Go reads a 64-bit number: a leading zero or sign of plus is fine, anything else is no number. */
function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
}

export const nodeAffinityFilter: Filter = {
  name: "NodeAffinity",
  prepare({ pod }) {
    if (!hasNodeAffinity(pod)) return undefined;
    const no = refusal("node(s) didn't match Pod's node affinity/selector", true);
    return ({ node }) => (node !== undefined && matchesNodeAffinity(pod, node) ? undefined : no);
  },
  wakesOn: new Set(["node-labels"]),
};

const requiredTerms = ({ spec }: Pod): readonly NodeSelectorTerm[] | undefined =>
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

const hasNodeAffinity = (pod: Pod): boolean => pod.spec?.nodeSelector !== undefined || requiredTerms(pod) !== undefined;

/** The node selector, and one of the required terms. */
export function matchesNodeAffinity(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const terms = requiredTerms(pod);
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

/** An empty term matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, labels[requirement.key])) &&
    matchFields.every(
      (requirement) => requirement.key === "metadata.name" && matchesRequirement(requirement, node.metadata.name),
    )
  );
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const [actual, limit] = [integer(value), integer(values[0])];
      if (actual === undefined || limit === undefined) return false;
      return operator === "Gt" ? actual > limit : actual < limit;
    }
    default:
      return false;
  }
}

/** The only nodes that could do, if the pod names them: a DaemonSet's pods do. Undefined if it could be any. */
export function namedNodes(pod: Pod): ReadonlySet<string> | undefined {
  const terms = requiredTerms(pod);
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (named === undefined) return undefined;
    for (const name of named.values ?? []) names.add(name);
  }
  return names;
}

export const portsFilter: Filter = {
  name: "NodePorts",
  prepare({ hostPorts }) {
    if (hostPorts.length === 0) return undefined;
    const no = refusal("node(s) didn't have free ports for the requested pod ports");
    return (node) => (node.hasPortOf(hostPorts) ? no : undefined);
  },
  wakesOn: new Set(["pod-removed"]),
};

export const resourcesFilter: Filter = {
  name: "NodeResourcesFit",
  prepare:
    ({ requests }) =>
    (node) =>
      whatIsMissing(requests, node),
  wakesOn: new Set(["node-allocatable", "pod-removed"]),
};

function whatIsMissing(requests: Amounts, node: NodeInfo): Refusal | undefined {
  const { allocatable, requested } = node;
  const reasons: string[] = [];
  let unresolvable = false;
  if (node.pods.size + 1 > node.podLimit) reasons.push("Too many pods");
  const check = (name: string, wanted: number, has: number, used: number): void => {
    if (wanted <= 0 || wanted <= has - used) return;
    reasons.push(`Insufficient ${name}`);
    unresolvable ||= wanted > has;
  };
  check("cpu", requests.cpu, allocatable.cpu, requested.cpu);
  check("memory", requests.memory, allocatable.memory, requested.memory);
  check("ephemeral-storage", requests.storage, allocatable.storage, requested.storage);
  if (requests.others !== undefined) {
    for (const [name, wanted] of requests.others) {
      check(name, wanted, allocatable.others?.get(name) ?? 0, requested.others?.get(name) ?? 0);
    }
  }
  return reasons.length === 0 ? undefined : { reasons, unresolvable };
}
