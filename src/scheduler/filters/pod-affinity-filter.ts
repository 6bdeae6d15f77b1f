/** Keeps pods together or apart, as they or the pods already placed require. */
import { unreachable } from "../../base/index.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import { type PodInfo, type Term, termMatches } from "../state/pod-info.js";
import { type ClusterEvent, type Filter, refusalOf } from "./filter.js";
import { emptyMap } from "../../base/members.js";

/** Domains of the topology, by key and value. */
type Domains = Set<string>;

const domain = (key: string, value: string): string => `${key}=${value}`;

const add = (domains: Domains, { topologyKey: key }: Term, { labels }: Pick<NodeInfo, "labels">): void => {
  if (labels[key] !== undefined) domains.add(domain(key, labels[key]));
};

export const podAffinityFilter: Filter = {
  name: "InterPodAffinity",
  prepare(info, view) {
    const { required = [], requiredAnti = [] } = info.affinities ?? {};
    const repelled = repelledFrom(info, view);
    if (required.length === 0 && requiredAnti.length === 0 && repelled.size === 0) return undefined;
    const others = (node: NodeInfo): readonly PodInfo[] =>
      [...node.pods.values()].filter(({ uid }) => uid !== info.uid);
    const together: Domains = new Set();
    const apart: Domains = new Set();
    for (const node of required.length + requiredAnti.length === 0 ? [] : view.nodes) {
      for (const other of others(node)) {
        const matches = (term: Term): boolean => termMatches(term, other, view);
        if (required.every(matches)) for (const term of required) add(together, term, node);
        for (const term of requiredAnti) if (matches(term)) add(apart, term, node);
      }
    }
    // the first pod of a group that requires its own company has none to join
    const isFirst = together.size === 0 && required.every((term) => termMatches(term, info, view));
    const noAffinity = refusalOf("node(s) didn't match pod affinity rules", true);
    const noAntiAffinity = refusalOf("node(s) didn't match pod anti-affinity rules");
    const noExisting = refusalOf("node(s) didn't satisfy existing pods anti-affinity rules");
    return ({ labels }) => {
      const has = (domains: Domains, key: string): boolean =>
        labels[key] !== undefined && domains.has(domain(key, labels[key]));
      for (const { topologyKey } of required) {
        if (labels[topologyKey] === undefined || (!isFirst && !has(together, topologyKey))) return noAffinity;
      }
      if (requiredAnti.some(({ topologyKey }) => has(apart, topologyKey))) return noAntiAffinity;
      return repelled.size > 0 && Object.keys(labels).some((key) => has(repelled, key)) ? noExisting : undefined;
    };
  },
  mayFitAfter(event, info, view) {
    const { required = [], requiredAnti = [] } = info.affinities ?? {};
    const matchesAll = (terms: readonly Term[], other: PodInfo): boolean =>
      terms.length > 0 && terms.every((term) => termMatches(term, other, view));
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
          (event.pod.affinities?.requiredAnti.some((term) => termMatches(term, info, view)) ?? false)
        );
      case "node-set":
        return changesDomain(event, required, requiredAnti);
      case "node-removed":
      case "storage-changed":
      case "device-claim-changed":
      case "devices-changed":
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

/** The domains from which the anti-affinity of placed pods repels this pod. */
function repelledFrom(info: PodInfo, view: ClusterView): Domains {
  const domains: Domains = new Set();
  for (const node of view.podsWithRequiredAntiAffinity === 0 ? [] : view.nodes) {
    for (const other of node.withRequiredAntiAffinity) {
      for (const term of other.affinities?.requiredAnti ?? [])
        if (termMatches(term, info, view)) add(domains, term, node);
    }
  }
  return domains;
}
