/** A pod as the scheduler sees it: the facts that its decision needs, read once. */
import {
  controllerOf,
  type Labels,
  type LabelSelector,
  labelSelectorAsSelector,
  newRequirement,
  nothing,
  type Pod,
  type PodAffinityTerm,
  type Selector,
} from "../../api/index.js";
import { sidecarsOf } from "../../api/pods/containers.js";
import { type ClaimOfPod, claimsOfPod } from "../../placement/volume-claims.js";
import { type PlainAmounts, podRequests, podRequestsForScore } from "./resources.js";

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A compiled term of pod affinity. */
export interface Term {
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
}

interface WeightedTerm extends Term {
  readonly weight: number;
}

interface PodAffinities {
  readonly required: readonly Term[];
  readonly requiredAnti: readonly Term[];
  readonly preferred: readonly WeightedTerm[];
  readonly preferredAnti: readonly WeightedTerm[];
}

export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: PlainAmounts;
  readonly requestsForScore: PlainAmounts;
  readonly hostPorts: readonly HostPort[];
  readonly claims: readonly ClaimOfPod[];
  /** Undefined for the many pods without affinities. */
  readonly affinities: PodAffinities | undefined;
  /** The uid of the controller by which pods are spread by default. */
  readonly owner: string | undefined;
  readonly isDeleting: boolean;
}

const noLabels: Labels = {};

export function podInfo(pod: Pod): PodInfo {
  const { name, namespace = "", uid = "", labels = noLabels, deletionTimestamp } = pod.metadata;
  return {
    pod,
    uid,
    key: `${namespace}/${name}`,
    namespace,
    labels,
    priority: pod.spec?.priority ?? 0,
    requests: podRequests(pod),
    requestsForScore: podRequestsForScore(pod),
    hostPorts: hostPortsOf(pod),
    claims: claimsOfPod(pod),
    affinities: affinitiesOf(pod, namespace, labels),
    owner: spreadingOwner(pod),
    isDeleting: deletionTimestamp !== undefined,
  };
}

/**
 * Everything of a pod that filters and scores of single nodes look at, as text: pods with the same key are alike to
 * them. Undefined for pods that ask for more than cpu, memory and storage, because devices may stand for the rest.
 */
export function placementKey({ pod: { spec }, hostPorts, requests, requestsForScore }: PodInfo): string | undefined {
  if (requests.others !== undefined || requestsForScore.others !== undefined) return undefined;
  const { nodeName, nodeSelector, tolerations, affinity } = spec ?? {};
  const ofNodes = [nodeName, nodeSelector, affinity?.nodeAffinity, tolerations];
  return JSON.stringify([requests, requestsForScore, hostPorts, ...ofNodes]);
}

const spreadingKinds = new Set(["v1/ReplicationController", "apps/v1/ReplicaSet", "apps/v1/StatefulSet"]);

function spreadingOwner(pod: Pod): string | undefined {
  const owner = controllerOf(pod);
  return owner !== undefined && spreadingKinds.has(`${owner.apiVersion}/${owner.kind}`) ? owner.uid : undefined;
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  return [...sidecarsOf(spec), ...(spec?.containers ?? [])].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP, protocol = "TCP" }) =>
      hostPort > 0 ? [{ ip: hostIP || "0.0.0.0", protocol, port: hostPort }] : [],
    ),
  );
}

function affinitiesOf({ spec }: Pod, namespace: string, labels: Labels): PodAffinities | undefined {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined;
  const term = (from: PodAffinityTerm): Term => compileTerm(from, namespace, labels);
  const hard = "requiredDuringSchedulingIgnoredDuringExecution";
  const soft = "preferredDuringSchedulingIgnoredDuringExecution";
  return {
    required: (podAffinity?.[hard] ?? []).map(term),
    requiredAnti: (podAntiAffinity?.[hard] ?? []).map(term),
    preferred: (podAffinity?.[soft] ?? []).map(({ weight, podAffinityTerm }) => ({ ...term(podAffinityTerm), weight })),
    preferredAnti: (podAntiAffinity?.[soft] ?? []).map(({ weight, podAffinityTerm }) => ({
      ...term(podAffinityTerm),
      weight,
    })),
  };
}

/** Without `namespaces` and `namespaceSelector`, the pod's own namespace is meant. */
function compileTerm(term: PodAffinityTerm, ownNamespace: string, labels: Labels): Term {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector, matchLabelKeys, mismatchLabelKeys } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const selector = withLabelKeys(labelSelector, matchLabelKeys, labels);
  const unlike = (mismatchLabelKeys ?? []).flatMap((key) =>
    !Object.hasOwn(labels, key) ? [] : [newRequirement(key, "notin", [labels[key] as string])],
  );
  return {
    topologyKey,
    selector: unlike.length === 0 ? selector : selector.and(...unlike),
    namespaces: new Set(isOwn ? [ownNamespace] : namespaces),
    namespaceSelector: namespaceSelector === undefined ? nothing() : labelSelectorAsSelector(namespaceSelector),
  };
}

/** The selector, extended by the pod's own values of these labels. */
export function withLabelKeys(
  labelSelector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  labels: Labels,
): Selector {
  const selector = labelSelectorAsSelector(labelSelector);
  const same = (keys ?? []).flatMap((key) =>
    !Object.hasOwn(labels, key) ? [] : [newRequirement(key, "in", [labels[key] as string])],
  );
  return same.length === 0 ? selector : selector.and(...same);
}

/** `view` gives the labels of the other pod's namespace. */
export function termMatches(
  term: Term,
  other: PodInfo,
  view: { namespaceLabels(name: string): Labels | undefined },
): boolean {
  const inside =
    term.namespaces.has(other.namespace) ||
    (!term.namespaceSelector.isNothing && term.namespaceSelector.matches(view.namespaceLabels(other.namespace)));
  return inside && term.selector.matches(other.labels);
}
