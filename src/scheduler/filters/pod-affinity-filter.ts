/** Keeps pods together or apart, as they or the pods already placed require. */
import { unreachable } from "../../base/index.js";
import type { ClusterView } from "../state/cluster-state.js";
import { type PodInfo, type Term, termMatches } from "../state/pod-info.js";
import { type ClusterEvent, type Filter, refusalOf } from "./filter.js";
import { emptyMap } from "../../base/members.js";

/** The number of matching pods in each domain, by topology key and value. */
type DomainCounts = Map<string, number>;

const domain = (key: string, value: string): string => `${key}=${value}`;

const add = (counts: DomainCounts, key: string, value: string | undefined): void => {
  if (value === undefined) return;
  const name = domain(key, value);
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

export const podAffinityFilter: Filter = {
  name: "InterPodAffinity",
  prepare(info, view) {
    const { required = [], requiredAnti = [] } = info.affinities ?? {};
    const repelled = repelledFrom(info, view);
    if (required.length === 0 && requiredAnti.length === 0 && repelled.size === 0) return undefined;
    const together = countAll(required, info, view);
    const apart = countEach(requiredAnti, info, view);
    // the first pod of a group that requires its own company has none to join
    const isFirst =
      together.size === 0 && required.every((term) => termMatches(term, info, (name) => view.namespaceLabels(name)));
    const noAffinity = refusalOf("node(s) didn't match pod affinity rules", true);
    const noAntiAffinity = refusalOf("node(s) didn't match pod anti-affinity rules");
    const noExisting = refusalOf("node(s) didn't satisfy existing pods anti-affinity rules");
    return ({ labels }) => {
      const has = (counts: DomainCounts, key: string): boolean =>
        labels[key] !== undefined && counts.has(domain(key, labels[key]));
      for (const { topologyKey } of required) {
        if (labels[topologyKey] === undefined || (!isFirst && !has(together, topologyKey))) return noAffinity;
      }
      if (requiredAnti.some(({ topologyKey }) => has(apart, topologyKey))) return noAntiAffinity;
      for (const [name] of repelled) {
        const [key, value] = splitDomain(name);
        if (labels[key] === value) return noExisting;
      }
      return undefined;
    };
  },
  mayFitAfter(event, info, view) {
    const { required = [], requiredAnti = [] } = info.affinities ?? {};
    const namespaceLabels = (name: string): PodInfo["labels"] | undefined => view.namespaceLabels(name);
    const matchesAll = (terms: readonly Term[], other: PodInfo): boolean =>
      terms.length > 0 && terms.every((term) => termMatches(term, other, namespaceLabels));
    switch (event.type) {
      case "pod-added":
        return matchesAll(required, event.pod);
      case "pod-changed": {
        const { pod, previous } = event;
        const joins = !matchesAll(required, previous) && matchesAll(required, pod);
        return joins || (matchesAll(requiredAnti, previous) && !matchesAll(requiredAnti, pod));
      }
      case "pod-removed":
        return (
          matchesAll(requiredAnti, event.pod) ||
          (event.pod.affinities?.requiredAnti.some((term) => termMatches(term, info, namespaceLabels)) ?? false)
        );
      case "node-set":
        return changesDomain(event, required, requiredAnti);
      case "node-removed":
      case "storage-changed":
        return false;
      default:
        return unreachable(event);
    }
  },
};

type NodeSet = Extract<ClusterEvent, { readonly type: "node-set" }>;

/** A node without the label of an affinity cannot fit; without the label of an anti-affinity, no pod repels there. */
function changesDomain({ node, previous }: NodeSet, required: readonly Term[], requiredAnti: readonly Term[]): boolean {
  const now = Object.assign(emptyMap<string>(), node.metadata.labels);
  if (previous === undefined) {
    return required.some(({ topologyKey }) => now[topologyKey] !== undefined) || requiredAnti.length > 0;
  }
  const before = Object.assign(emptyMap<string>(), previous.metadata.labels);
  return (
    required.some(({ topologyKey: key }) => now[key] !== undefined && now[key] !== before[key]) ||
    requiredAnti.some(({ topologyKey: key }) => before[key] !== undefined && now[key] !== before[key])
  );
}

function splitDomain(name: string): readonly [string, string] {
  const at = name.indexOf("=");
  return [name.slice(0, at), name.slice(at + 1)];
}

/** The domains with a pod that matches all terms. */
function countAll(terms: readonly Term[], info: PodInfo, view: ClusterView): DomainCounts {
  const counts: DomainCounts = new Map();
  if (terms.length === 0) return counts;
  const namespaceLabels = (name: string): PodInfo["labels"] | undefined => view.namespaceLabels(name);
  for (const { pods, labels } of view.nodes) {
    for (const other of pods.values()) {
      if (other.uid === info.uid || !terms.every((term) => termMatches(term, other, namespaceLabels))) continue;
      for (const { topologyKey } of terms) add(counts, topologyKey, labels[topologyKey]);
    }
  }
  return counts;
}

/** The domains of each term with a pod that matches it. */
function countEach(terms: readonly Term[], info: PodInfo, view: ClusterView): DomainCounts {
  const counts: DomainCounts = new Map();
  if (terms.length === 0) return counts;
  for (const { pods, labels } of view.nodes) {
    for (const other of pods.values()) {
      if (other.uid === info.uid) continue;
      for (const term of terms) {
        if (termMatches(term, other, (name) => view.namespaceLabels(name))) {
          add(counts, term.topologyKey, labels[term.topologyKey]);
        }
      }
    }
  }
  return counts;
}

/** The domains from which the anti-affinity of placed pods repels this pod. */
function repelledFrom(info: PodInfo, view: ClusterView): DomainCounts {
  const counts: DomainCounts = new Map();
  if (view.podsWithRequiredAntiAffinity === 0) return counts;
  for (const { withRequiredAntiAffinity, labels } of view.nodes) {
    for (const other of withRequiredAntiAffinity) {
      for (const term of other.affinities?.requiredAnti ?? []) {
        if (termMatches(term, info, (name) => view.namespaceLabels(name))) {
          add(counts, term.topologyKey, labels[term.topologyKey]);
        }
      }
    }
  }
  return counts;
}
