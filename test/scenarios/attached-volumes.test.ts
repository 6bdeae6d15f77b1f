/** Simulated volumes on the embedded server: attached to the node of their pod, detached after it, and grown on request. */
import { expect, test } from "vitest";
import {
  type KubeObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../src/api/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { patienceMs } from "../eventually.js";

const namespace = "default";

async function start() {
  const cluster = await startCluster({ clock: "virtual", controllers: ["*"], nodes: 2 });
  const { client, clock } = cluster;
  const pods = client.resource(Pod, { namespace });
  const claims = client.resource(PersistentVolumeClaim, { namespace });
  const attachments = client.resource(VolumeAttachment);
  await clock.advance(2_000);
  await claims.create({
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const pod = (name: string, node: string, tolerations: readonly object[] = []) =>
    pods.create({
      metadata: { name },
      spec: {
        nodeSelector: { "kubernetes.io/hostname": node },
        tolerations,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
  /** Lets time pass until the reading is as expected. */
  const reads = (read: () => Promise<unknown>, stepMs = 1_000) =>
    expect.poll(
      async () => {
        await clock.advance(stepMs);
        return read();
      },
      { timeout: patienceMs, interval: 1 },
    );
  const phase = (name: string) => async () => (await pods.getOrUndefined(name))?.status?.phase;
  const attached = async () =>
    (await attachments.list()).items.map(({ spec, status }) => `${spec.nodeName} ${status?.attached ?? false}`);
  return { cluster, client, clock, pods, claims, pod, reads, phase, attached };
}

const statusOf = async (node: Promise<Node>) => {
  const { volumesAttached = [], volumesInUse = [] } = (await node).status ?? {};
  return { attached: volumesAttached.map(({ name }) => name), inUse: volumesInUse };
};

test("a volume is attached before its pod runs, and goes to the next node only when the first has let go", async () => {
  const { cluster, client, pods, claims, pod, reads, phase, attached } = await start();
  await using _ = cluster;
  const nodes = client.resource(Node);
  await pod("first", "node-1");
  await reads(phase("first")).toBe("Running");
  const { volumeName = "" } = (await claims.get("data")).spec ?? {};
  const name = `kubernetes.io/csi/simulated.coxswain.dev^${volumeName}`;
  expect(await attached()).toEqual(["node-1 true"]);
  expect(await statusOf(nodes.get("node-1"))).toEqual({ attached: [name], inUse: [name] });
  expect(cluster.events).toContain(
    `Pod first SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "${volumeName}" `,
  );
  await pod("second", "node-2");
  await reads(async () => cluster.events.filter((line) => line.includes("Multi-Attach"))).toEqual([
    `Pod second FailedAttachVolume Multi-Attach error for volume "${volumeName}" Volume is already used by pod(s) first`,
  ]);
  const waiting = (await pods.get("second")).status;
  expect(waiting?.phase).toBe("Pending");
  expect(waiting?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("ContainerCreating");
  await pods.delete("first", { gracePeriodSeconds: 1 });
  await reads(phase("second")).toBe("Running");
  expect(await attached()).toEqual(["node-2 true"]);
  expect(await statusOf(nodes.get("node-1"))).toEqual({ attached: [], inUse: [] });
});

test("a node without power keeps its volume for six minutes, and an out-of-service one for none", async () => {
  const { cluster, client, clock, pods, pod, reads, phase, attached } = await start();
  await using _ = cluster;
  const power = (node: string, value: string | null) =>
    client.resource(Node).patch(node, { merge: { metadata: { annotations: { "coxswain.dev/power": value } } } });
  await pod("first", "node-1");
  await reads(phase("first")).toBe("Running");
  await power("node-1", "off");
  const ready = async () =>
    (await client.resource(Node).get("node-1")).status?.conditions?.find(({ type }) => type === "Ready")?.status;
  await reads(ready, 10_000).toBe("Unknown");
  await pods.delete("first", { gracePeriodSeconds: 0 });
  await clock.advance(300_000);
  expect(await attached()).toEqual(["node-1 true"]);
  await clock.advance(70_000);
  await reads(attached).toEqual([]);
  await pod("second", "node-2", [{ operator: "Exists" }]);
  await reads(phase("second")).toBe("Running");
  await power("node-2", "off");
  const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }];
  await client.resource(Node).patch("node-2", { strategic: { spec: { taints } } });
  await pods.delete("second", { gracePeriodSeconds: 0 });
  await reads(attached).toEqual([]);
});

test("a claim that asks for more gets it, and its events say how", async () => {
  const { cluster, client, claims, pod, reads, phase } = await start();
  await using _ = cluster;
  await pod("first", "node-1");
  await reads(phase("first")).toBe("Running");
  await claims.patch("data", { merge: { spec: { resources: { requests: { storage: "3Gi" } } } } });
  await reads(async () => (await claims.get("data")).status?.capacity).toEqual({ storage: "3Gi" });
  const { spec, status } = await claims.get("data");
  expect(status?.conditions).toBeUndefined();
  expect(status?.allocatedResources).toEqual({ storage: "3Gi" });
  const volume = await client.resource(PersistentVolume).get(spec?.volumeName ?? "");
  expect(volume.spec?.capacity).toEqual({ storage: "3Gi" });
  const told = cluster.events.filter((line) => line.startsWith("PersistentVolumeClaim data ")).slice(-3);
  expect(told.toSorted()).toEqual(
    [
      "ExternalExpanding waiting for an external controller to expand this PVC",
      `Resizing External resizer is resizing volume ${(volume as KubeObject).metadata.name}`,
      "VolumeResizeSuccessful Resize volume succeeded",
    ].map((line) => `PersistentVolumeClaim data ${line}`),
  );
});
