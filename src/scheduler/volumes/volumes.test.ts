import { expect, test } from "vitest";
import type {
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { choose } from "../decide/choose.js";
import { defaultFilters } from "../filters/index.js";
import { ClusterState } from "../state/cluster-state.js";
import { podInfo } from "../state/pod-info.js";
import { volumeFilters } from "./index.js";
import type { VolumeView } from "./needs.js";

const driver = "csi.example.com";
const zone = "topology.kubernetes.io/zone";

interface Given {
  readonly volumeLabels?: Readonly<Record<string, string>>;
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** The number of volumes that the node may attach. */
  readonly limit?: number;
  /** The names of volumes that are attached to the node. */
  readonly attached?: readonly string[];
  /** The claims of a pod on the node. */
  readonly others?: readonly string[];
  readonly mode?: "ReadWriteOnce" | "ReadWriteOncePod";
  /** The claims without a volume, and the free space for them. */
  readonly unbound?: { readonly free?: string };
}

const pod = (name: string, claims: readonly string[], nodeName?: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name },
  spec: {
    containers: [],
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    ...(nodeName && { nodeName }),
  },
});

function viewOf({ volumeLabels = {}, limit, attached = [], mode = "ReadWriteOnce", unbound }: Given): VolumeView {
  const claim = (key: string): PersistentVolumeClaim => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: key.split("/")[1] ?? "",
      namespace: "default",
      ...(!unbound && { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
    },
    spec: {
      accessModes: [mode],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "csi",
      ...(!unbound && { volumeName: key.split("/")[1] ?? "" }),
    },
  });
  const volume = (name: string): PersistentVolume => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, labels: volumeLabels },
    spec: { csi: { driver, volumeHandle: name } },
  });
  const capacity: CSIStorageCapacity = {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    metadata: { name: "c", namespace: "default" },
    storageClassName: "csi",
    nodeTopology: {},
    capacity: unbound?.free ?? "0",
  };
  const attachments = attached.map(
    (persistentVolumeName): VolumeAttachment => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: persistentVolumeName },
      spec: { attacher: driver, nodeName: "n", source: { persistentVolumeName } },
    }),
  );
  const drivers = [{ name: driver, nodeID: "n", ...(limit !== undefined && { allocatable: { count: limit } }) }];
  return {
    claim,
    volume: (name) => (name ? volume(name) : undefined),
    volumes: () => [],
    storageClass: () => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "csi" },
      provisioner: driver,
      volumeBindingMode: "WaitForFirstConsumer",
    }),
    csiDriver: () => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { name: driver },
      spec: { storageCapacity: true },
    }),
    csiNode: () => ({ apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "n" }, spec: { drivers } }),
    capacities: () => [capacity],
    attachments: () => attachments,
  };
}

/** The reason why a pod with these claims does not fit the only node; undefined if it does. */
function refusal(claims: readonly string[], given: Given): string | undefined {
  const state = new ClusterState();
  const allocatable = { cpu: "4", memory: "8Gi", pods: "10" };
  const metadata = { name: "n", labels: given.nodeLabels ?? {} };
  state.setNode({ apiVersion: "v1", kind: "Node", metadata, status: { allocatable } });
  if (given.others) state.setPod(pod("other", given.others, "n"));
  const filters = [...defaultFilters, ...volumeFilters(viewOf(given))];
  const decision = choose(podInfo(pod("p", claims)), state, { random: seededRandom(1), filters });
  return decision.type === "chosen" ? undefined : [...decision.failure.reasons.keys()].join();
}

const noZone = "node(s) had no available volume zone";
const tooMany = "node(s) exceed max volume count";
const inUse =
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

test.each<[string, readonly string[], Given, string | undefined]>([
  ["in its zone", ["v"], { volumeLabels: { [zone]: "a" }, nodeLabels: { [zone]: "a" } }, undefined],
  ["in one of its zones", ["v"], { volumeLabels: { [zone]: "a__b" }, nodeLabels: { [zone]: "b" } }, undefined],
  ["in another zone", ["v"], { volumeLabels: { [zone]: "a" }, nodeLabels: { [zone]: "b" } }, noZone],
  ["where zones are unknown", ["v"], { volumeLabels: { [zone]: "a" } }, undefined],
  ["below the limit", ["v", "w"], { limit: 2 }, undefined],
  ["above the limit", ["v", "w"], { limit: 1 }, tooMany],
  ["above the limit, with those of other pods", ["v"], { limit: 1, others: ["w"] }, tooMany],
  ["that another pod has there already", ["v"], { limit: 1, others: ["v"] }, undefined],
  ["above the limit, with attached ones", ["v"], { limit: 1, attached: ["w"] }, tooMany],
  ["that is attached already", ["v"], { limit: 1, attached: ["v"] }, undefined],
  ["for one pod that nobody uses", ["v"], { mode: "ReadWriteOncePod" }, undefined],
  ["for one pod that another uses", ["v"], { mode: "ReadWriteOncePod", others: ["v"] }, inUse],
  ["for which there is space", ["v"], { unbound: { free: "1Gi" } }, undefined],
  ["for which there is no space", ["v"], { unbound: { free: "1Mi" } }, "node(s) did not have enough free storage"],
])("a volume %s", (_, claims, given, expected) => {
  expect(refusal(claims, given)).toBe(expected);
});
