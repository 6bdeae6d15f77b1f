/** Nodes, pods and clusters in few words. For the tests of the scheduler. */
import type { Node, NodeSpec, Pod, PodSpec } from "../../src/api/index.js";
import { seededRandom } from "../../src/base/index.js";
import { choose } from "../../src/scheduler/decide/choose.js";
import { failureMessage } from "../../src/scheduler/decide/failure-message.js";
import { ClusterState } from "../../src/scheduler/state/cluster-state.js";
import { podInfo } from "../../src/scheduler/state/pod-info.js";

export interface NodeShape {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly images?: Readonly<Record<string, number>>;
}

export function node(name: string, { labels, spec = {}, allocatable, images = {} }: NodeShape = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable },
      images: Object.entries(images).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
    },
  };
}

interface PodShape {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly on?: string;
  readonly owner?: string;
  readonly ownerKind?: string;
  readonly leaving?: boolean;
  readonly status?: Pod["status"];
}

let made = 0;

export function pod({
  name = `p${++made}`,
  namespace = "default",
  labels = {},
  requests,
  spec,
  on,
  owner,
  ownerKind = "apps/v1/ReplicaSet",
  leaving = false,
  status,
}: PodShape = {}): Pod {
  const container = { name: "c", image: "i", ...(requests && { resources: { requests } }) };
  const [, apiVersion = "", kind = ""] = /^(.*)\/(.*)$/.exec(ownerKind) ?? [];
  const ownerReferences = owner && [{ apiVersion, kind, name: owner, uid: owner, controller: true }];
  const deletion = leaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `${namespace}/${name}`,
      labels,
      ...deletion,
      ...(ownerReferences && { ownerReferences }),
    },
    spec: { containers: [container], ...spec, ...(on && { nodeName: on }) },
    ...(status && { status }),
  };
}

export function cluster(nodes: readonly Node[], pods: readonly Pod[] = []): ClusterState {
  const state = new ClusterState({
    namespaceLabels: (name) => ({ "kubernetes.io/metadata.name": name }),
    serviceSelectors: () => [{ app: "served" }],
  });
  for (const each of nodes) state.setNode(each);
  for (const each of pods) state.setPod(each);
  return state;
}

/** The node's name, or the message. */
export function decide(subject: Pod, state: ClusterState, seed = 1): string {
  const decision = choose(podInfo(subject), state, { random: seededRandom(seed) });
  return decision.type === "chosen" ? decision.node : failureMessage(decision.failure);
}
