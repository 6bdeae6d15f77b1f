/** Pods with claims, for the comparison of schedulers. */
import { CSIDriver, CSINode, CSIStorageCapacity, PersistentVolume, StorageClass } from "../../../src/api/index.js";
import {
  all,
  claim,
  localClass,
  node,
  pod,
  remove,
  type Scenario,
  scenario,
  type Step,
  using,
  volume,
} from "./scenario.js";

const driver = "csi.example.com";
const zoneKey = "topology.kubernetes.io/zone";
const zone = (name: string): Readonly<Record<string, string>> => ({ [zoneKey]: name });

/** A volume of a CSI driver, with labels. */
const csiVolume =
  (name: string, labels: Readonly<Record<string, string>> = {}): Step =>
  async ({ client }) => {
    await client.resource(PersistentVolume).create({
      metadata: { name, labels },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        csi: { driver, volumeHandle: name },
      },
    });
  };

/** The number of volumes that a node may attach. */
const limit =
  (name: string, count: number): Step =>
  async ({ client }) => {
    const drivers = [{ name: driver, nodeID: name, allocatable: { count } }];
    await client.resource(CSINode).create({ metadata: { name }, spec: { drivers } });
  };

const csiClass =
  (name: string, { tells = false }: { readonly tells?: boolean } = {}): Step =>
  async ({ client }) => {
    await client.resource(CSIDriver).create({ metadata: { name: driver }, spec: { storageCapacity: tells } });
    const volumeBindingMode = "WaitForFirstConsumer";
    await client.resource(StorageClass).create({ metadata: { name }, provisioner: driver, volumeBindingMode });
  };

/** The free space of the class `space` on one node. */
const space =
  (name: string, amounts: { readonly capacity?: string; readonly maximumVolumeSize?: string }): Step =>
  async ({ client }) => {
    await client.resource(CSIStorageCapacity, { namespace: "default" }).create({
      metadata: { name },
      storageClassName: "space",
      nodeTopology: { matchLabels: { "kubernetes.io/hostname": name } },
      ...amounts,
    });
  };

const inZones: readonly Scenario[] = [
  scenario(
    "a volume in a zone",
    all(
      node("n1", { labels: zone("a") }),
      node("n2", { labels: zone("b") }),
      node("n3", { labels: { x: "y" }, unschedulable: true }),
    ),
    all(csiVolume("v-b", zone("b")), csiVolume("v-c", zone("c"))),
    all(claim("b", { volume: "v-b" }), claim("c", { volume: "v-c" })),
    all(pod("p", { spec: using("b") }), pod("q", { spec: using("c") }), pod("r", { spec: using("b", "c") })),
  ),
  scenario(
    "a volume in several zones, by the older label",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("c") })),
    csiVolume("v", { "failure-domain.beta.kubernetes.io/zone": "b__c" }),
    claim("one", { volume: "v" }),
    pod("p", { spec: using("one") }),
  ),
  scenario(
    "a node that says nothing of its zone",
    all(node("n1"), csiVolume("v", zone("b")), claim("one", { volume: "v" })),
    pod("p", { spec: using("one") }),
  ),
];

const withLimits: readonly Scenario[] = [
  scenario(
    "a limit of volumes",
    all(node("n1"), limit("n1", 2), ...["v1", "v2", "v3"].map((name) => csiVolume(name))),
    all(...["v1", "v2", "v3"].map((name) => claim(name, { volume: name }))),
    pod("p", { spec: using("v1") }),
    pod("q", { spec: using("v2") }),
    pod("r", { spec: using("v3") }),
    pod("s", { spec: using("v1") }),
  ),
  scenario(
    "more volumes than any node may have",
    all(node("n1"), node("n2"), limit("n1", 1), limit("n2", 2), csiVolume("v1"), csiVolume("v2")),
    all(claim("v1", { volume: "v1" }), claim("v2", { volume: "v2" })),
    pod("p", { spec: using("v1", "v2") }),
  ),
  scenario(
    "room for a volume after a pod has gone",
    all(node("n1"), limit("n1", 1), csiVolume("v1"), csiVolume("v2")),
    all(claim("v1", { volume: "v1" }), claim("v2", { volume: "v2" })),
    pod("p", { spec: using("v1") }),
    pod("q", { spec: using("v2") }),
    remove("p"),
  ),
];

const withSpace: readonly Scenario[] = [
  scenario(
    "too little free space",
    all(node("n1"), node("n2"), csiClass("space", { tells: true })),
    all(space("n1", { capacity: "500Mi" }), space("n2", { capacity: "5Gi", maximumVolumeSize: "100Mi" })),
    claim("one", { storageClassName: "space" }),
    pod("p", { spec: using("one") }),
  ),
  scenario(
    "no word about free space",
    all(node("n1"), csiClass("space", { tells: true })),
    claim("one", { storageClassName: "space" }),
    pod("p", { spec: using("one") }),
  ),
];

const exclusive: readonly Scenario[] = [
  scenario(
    "a claim for one pod at a time",
    all(node("n1"), csiVolume("v")),
    claim("one", { volume: "v", mode: "ReadWriteOncePod" }),
    pod("p", { spec: using("one") }),
    pod("q", { spec: using("one") }),
    remove("p"),
  ),
];

export const volumeScenarios: readonly Scenario[] = [
  scenario(
    "claims that hold a pod back",
    all(node("n1"), node("n2"), localClass("local")),
    all(claim("late"), claim("local", { storageClassName: "local" }), claim("lost", { volume: "nowhere" })),
    all(
      pod("a", { spec: using("missing") }),
      pod("b", { spec: using("late") }),
      pod("c", { spec: using("local") }),
      pod("d", { spec: using("lost") }),
      pod("e", { spec: using("local", "lost") }),
      pod("f", { spec: using("local", "late") }),
    ),
  ),
  scenario(
    "a volume that is on one node",
    all(node("n1"), node("n2"), node("n3", { unschedulable: true }), volume("v2", "n2"), volume("v3", "n3")),
    all(claim("two", { volume: "v2" }), claim("three", { volume: "v3" })),
    all(
      pod("a", { spec: using("two") }),
      pod("b", { spec: using("three") }),
      pod("c", { spec: using("two", "three") }),
    ),
  ),
  ...inZones,
  ...withLimits,
  ...withSpace,
  ...exclusive,
];
