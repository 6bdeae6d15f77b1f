/** Filters that look at one node by itself: its name, taints, labels, ports and resources. */
import {
  type Node,
  type NodeSelectorTerm,
  nodeSelectorTerm,
  type Pod,
  requiredNodes,
  type Taint,
  tolerates,
  untoleratedTaint,
} from "../../api/index.js";
import { collide, NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { isExtended, isLess, type PlainAmounts } from "../state/resources.js";
import { type ClusterEvent, type Filter, nowDoes, type Refusal, refusalOf } from "./filter.js";

export const nodeNameFilter: Filter = {
  name: "NodeName",
  isOfNode: true,
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName;
    if (!wanted) return undefined;
    const no = refusalOf("node(s) didn't match the requested node name", true);
    return ({ name }) => (name === wanted ? undefined : no);
  },
  mayFitAfter: (event, { pod }) => event.type === "node-set" && event.node.metadata.name === pod.spec?.nodeName,
};

const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

const toleratesUnschedulable = ({ spec }: Pod): boolean =>
  spec?.tolerations?.some((toleration) => tolerates(toleration, unschedulableTaint)) ?? false;

export const unschedulableFilter: Filter = {
  name: "NodeUnschedulable",
  isOfNode: true,
  prepare({ pod }) {
    if (toleratesUnschedulable(pod)) return undefined;
    const no = refusalOf("node(s) were unschedulable", true);
    return ({ unschedulable }) => (unschedulable ? no : undefined);
  },
  mayFitAfter: (event) => nowDoes(event, ({ spec }) => !spec?.unschedulable),
};

/** The taint effects that keep a pod from a node. */
export const repelling: readonly string[] = ["NoSchedule", "NoExecute"];

export const taintFilter: Filter = {
  name: "TaintToleration",
  isOfNode: true,
  prepare({ pod }) {
    const no = refusalOf("node(s) had untolerated taint(s)", true);
    const { tolerations } = pod.spec ?? {};
    return ({ taints }) =>
      taints.length === 0 || untoleratedTaint(taints, tolerations, repelling) === undefined ? undefined : no;
  },
  mayFitAfter: (event, { pod }) =>
    nowDoes(event, ({ spec }) => untoleratedTaint(spec?.taints, pod.spec?.tolerations, repelling) === undefined),
};

/** `added` are terms of which every node must satisfy one, whatever the pod says. */
export const nodeAffinityFilter = (added?: readonly NodeSelectorTerm[]): Filter => {
  const addedTerms = added?.map(nodeSelectorTerm);
  const isAdmitted = (node: Node): boolean => addedTerms === undefined || addedTerms.some((matches) => matches(node));
  return {
    name: "NodeAffinity",
    isOfNode: true,
    rejects: ({ pod }) => (namedNodes(pod)?.size === 0 ? "pod affinity terms conflict" : undefined),
    only: ({ pod }) => namedNodes(pod),
    prepare({ pod: { spec } }) {
      const isAsked = spec?.nodeSelector !== undefined || requiredTerms(spec) !== undefined;
      if (!isAsked && added === undefined) return undefined;
      const no = refusalOf("node(s) didn't match Pod's node affinity/selector", true);
      const notAdmitted = refusalOf("node(s) didn't match scheduler-enforced node affinity", true);
      const matches = requiredNodes(spec);
      return ({ node }) => {
        if (node === undefined) return no;
        if (!isAdmitted(node)) return notAdmitted;
        return matches(node) ? undefined : no;
      };
    },
    mayFitAfter(event, { pod }) {
      const matches = requiredNodes(pod.spec);
      return nowDoes(event, (node) => isAdmitted(node) && matches(node));
    },
  };
};

const requiredTerms = (spec: Pod["spec"]): readonly NodeSelectorTerm[] | undefined =>
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

/** Undefined if any node is possible; empty if the pod's terms contradict each other. */
function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = requiredTerms(spec);
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    const [first, ...others] = named.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}

export const portsFilter: Filter = {
  name: "NodePorts",
  isOfNode: true,
  prepare({ hostPorts }) {
    if (hostPorts.length === 0) return undefined;
    const no = refusalOf("node(s) didn't have free ports for the requested pod ports");
    return (node) => (node.hasPortOf(hostPorts) ? no : undefined);
  },
  mayFitAfter: (event, { hostPorts }) =>
    (event.type === "node-set" && event.previous === undefined) ||
    (event.type === "pod-removed" &&
      event.pod.hostPorts.some((held) => hostPorts.some((wanted) => collide(held, wanted)))),
};

/** Extended resources that others look after, by their names, or by the names' parts before the slash. */
interface IgnoredResources {
  readonly names: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

export interface ResourcesOfOthers {
  readonly ignored?: IgnoredResources;
  /** Whether devices provide an extended resource, on nodes that have none of it by themselves. */
  isProvided?(resource: string): boolean;
}

export const resourcesFilter = ({ ignored, isProvided = () => false }: ResourcesOfOthers = {}): Filter => {
  const looksAt = ({ requests }: PodInfo): PlainAmounts => (ignored ? without(requests, ignored) : requests);
  return {
    name: "NodeResourcesFit",
    isOfNode: true,
    prepare(info) {
      const requests = looksAt(info);
      return (node) => (hasRoom(requests, node) ? undefined : whatIsMissing(requests, node, isProvided));
    },
    mayFitAfter(event, info) {
      const requests = looksAt(info);
      if (event.type === "pod-changed") return isLess(event.pod.requests, event.previous.requests, requests);
      if (event.type === "devices-changed") return event.provides?.some((name) => requests.others?.has(name)) ?? false;
      return event.type === "pod-removed" || hasMoreRoom(event, requests, isProvided);
    },
  };
};

function without(requests: PlainAmounts, { names, groups }: IgnoredResources): PlainAmounts {
  if (requests.others === undefined) return requests;
  const isIgnored = (name: string): boolean =>
    isExtended(name) && (names.has(name) || groups.has(name.split("/")[0] as string));
  const others = new Map([...requests.others].filter(([name]) => !isIgnored(name)));
  const { cpu, memory, storage } = requests;
  return others.size === 0 ? { cpu, memory, storage } : { cpu, memory, storage, others };
}

/** True if the pod fits the node's capacity, and the node has more of a resource that the pod needs than before. */
function hasMoreRoom(event: ClusterEvent, requests: PlainAmounts, isProvided: (name: string) => boolean): boolean {
  if (event.type !== "node-set") return false;
  const now = new NodeInfo(event.node.metadata.name);
  now.setNode(event.node);
  if (whatIsMissing(requests, now, isProvided) !== undefined) return false;
  if (event.previous === undefined) return true;
  const before = new NodeInfo(event.node.metadata.name);
  before.setNode(event.previous);
  if (now.podLimit > before.podLimit || isLess(before.allocatable, now.allocatable, requests)) return true;
  return [...(requests.others ?? [])].some(([name, wanted]) => wanted > 0 && !has(now, name) && isProvided(name));
}

const has = ({ allocatable }: NodeInfo, name: string): boolean => (allocatable.others?.get(name) ?? 0) > 0;

/** The common case, without a list of reasons. */
function hasRoom({ cpu, memory, storage, others }: PlainAmounts, node: NodeInfo): boolean {
  const { allocatable, requested } = node;
  return (
    others === undefined &&
    node.pods.size < node.podLimit &&
    cpu <= allocatable.cpu - requested.cpu &&
    memory <= allocatable.memory - requested.memory &&
    storage <= allocatable.storage - requested.storage
  );
}

function whatIsMissing(
  requests: PlainAmounts,
  node: NodeInfo,
  isProvided: (name: string) => boolean,
): Refusal | undefined {
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
      if (!has(node, name) && isProvided(name)) continue;
      check(name, wanted, allocatable.others?.get(name) ?? 0, requested.others?.get(name) ?? 0);
    }
  }
  return reasons.length === 0 ? undefined : { reasons, unresolvable };
}
