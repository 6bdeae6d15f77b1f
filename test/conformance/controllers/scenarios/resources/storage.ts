/** Scenarios of volumes: claims made for pods, claims that grow, volumes that are attached and detached. */
import {
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { isTrue } from "../shapes.js";

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } as const;
const containers = [{ name: "c", image: "one" }];
const runs = (pod: Pod | undefined): boolean => isTrue(pod, "Ready");

/** A volume of a driver, and its claim; both are named after the scenario. */
async function boundClaim(stage: Stage, driver: string): Promise<void> {
  const { namespace } = stage;
  const provisioner = driver;
  await stage.create(StorageClass, { metadata: { name: namespace }, provisioner, allowVolumeExpansion: true });
  await stage.create(PersistentVolume, {
    metadata: { name: namespace },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: namespace,
      persistentVolumeReclaimPolicy: "Retain",
      csi: { driver, volumeHandle: namespace },
    },
  });
  // a claim that comes before its volume is first left to the driver
  await stage.until(PersistentVolume, namespace, (volume) => volume?.status?.phase === "Available");
  const spec = { ...claimSpec, storageClassName: namespace };
  await stage.create(PersistentVolumeClaim, { metadata: { name: "data" }, spec });
  await stage.until(PersistentVolumeClaim, "data", (claim) => claim?.status?.phase === "Bound");
}

/** Plays the driver: says of the attachment to this node that it is there. */
async function attach(stage: Stage, node: string): Promise<void> {
  const attachments = stage.of(VolumeAttachment);
  const name = await stage.untilFound(VolumeAttachment, ({ spec }) => spec.nodeName === node);
  await attachments.status.patch(name, { merge: { status: { attached: true } } });
}

const user = (name: string, node: string) => ({
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 1,
    nodeSelector: { "kubernetes.io/hostname": node },
    tolerations: [{ operator: "Exists" as const }],
    containers,
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
  },
});

export const storage: readonly Scenario[] = [
  {
    name: "ephemeral-volumes",
    async run(stage) {
      const template = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: claimSpec };
      const volumes = ["one", "two"].map((name) => ({ name, ephemeral: { volumeClaimTemplate: template } }));
      const spec = { containers, volumes };
      await stage.create(PersistentVolumeClaim, { metadata: { name: "robbed-one" }, spec: claimSpec });
      await stage.create(Pod, { metadata: { name: "robbed" }, spec });
      await stage.create(Pod, { metadata: { name: "web" }, spec });
      // a pod without a node does not keep its claims from being deleted
      await stage.create(Pod, { metadata: { name: "waits" }, spec: { ...spec, nodeSelector: { no: "node" } } });
      await stage.until(PersistentVolumeClaim, "web-two", (claim) => claim !== undefined);
      await stage.until(PersistentVolumeClaim, "waits-two", (claim) => claim !== undefined);
      const { metadata } = await stage.of(PersistentVolumeClaim).get("waits-two");
      await stage.of(PersistentVolumeClaim).delete("waits-two");
      const isAnother = (claim: PersistentVolumeClaim | undefined): boolean =>
        claim !== undefined && claim.metadata.uid !== metadata.uid;
      await stage.until(PersistentVolumeClaim, "waits-two", isAnother);
      await stage.checkpoint("made");
      await stage.of(Pod).delete("waits");
      await stage.gone(PersistentVolumeClaim, "waits-one");
    },
  },
  {
    name: "volume-growth",
    clusterKinds: ["PersistentVolume"],
    async run(stage) {
      await boundClaim(stage, "growth.example.com");
      const more = { spec: { resources: { requests: { storage: "2Gi" } } } };
      await stage.patch(PersistentVolumeClaim, "data", more);
    },
  },
  {
    name: "volume-moves",
    nodes: true,
    ownNodes: "volumes",
    clusterKinds: ["PersistentVolume", "VolumeAttachment"],
    async run(stage) {
      const [first, second] = ["node-18", "node-19"] as const;
      await stage.create(CSIDriver, { metadata: { name: "moves.example.com" }, spec: {} });
      await boundClaim(stage, "moves.example.com");
      await stage.create(Pod, user("first", first));
      await attach(stage, first);
      await stage.until(Pod, "first", runs);
      await stage.until(Node, first, (node) => node?.status?.volumesAttached?.length === 1);
      await stage.checkpoint("attached");
      await stage.create(Pod, user("second", second));
      await stage.pause(3_000);
      await stage.checkpoint("elsewhere");
      await stage.of(Pod).delete("first");
      await attach(stage, second);
      await stage.until(Pod, "second", runs);
      await stage.checkpoint("moved");
      await stage.of(Pod).delete("second");
      await stage.until(Node, second, (node) => (node?.status?.volumesAttached ?? []).length === 0);
      await stage.none(VolumeAttachment, ({ spec }) => spec.nodeName === second);
    },
  },
];
