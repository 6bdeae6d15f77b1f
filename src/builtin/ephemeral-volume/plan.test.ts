import { describe, expect, test } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../api/index.js";
import { patienceMs } from "../../../test/eventually.js";
import { startCluster } from "../../testing/cluster.js";
import { claimSteps } from "./plan.js";

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } as const;
const ephemeral = { volumeClaimTemplate: { metadata: { labels: { for: "scratch" } }, spec } };
const draft = {
  metadata: { name: "web", namespace: "default", uid: "u" },
  spec: {
    containers: [{ name: "c", image: "i" }],
    volumes: [
      { name: "config", emptyDir: {} },
      { name: "a", ephemeral },
      { name: "b", ephemeral },
    ],
  },
};
const pod: Pod = { apiVersion: "v1", kind: "Pod", ...draft };
const claimOwnedBy = (uid: string): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "web-a",
    namespace: "default",
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true }],
  },
});

describe("the claims of ephemeral volumes", () => {
  test("each missing one is made for the pod, from the template", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: "u", controller: true, blockOwnerDeletion: true };
    const metadata = { ownerReferences: [owner], labels: { for: "scratch" } };
    expect(claimSteps(pod, () => undefined)).toEqual([
      { type: "create", volume: "a", claim: { metadata: { name: "web-a", ...metadata }, spec } },
      { type: "create", volume: "b", claim: { metadata: { name: "web-b", ...metadata }, spec } },
    ]);
  });

  test("one that is the pod's is left alone; a stranger of that name is refused, and nothing after it is made", () => {
    const find = (claim: PersistentVolumeClaim) => (name: string) => (name === "web-a" ? claim : undefined);
    expect(claimSteps(pod, find(claimOwnedBy("u")))).toMatchObject([{ type: "create", volume: "b" }]);
    expect(claimSteps(pod, find(claimOwnedBy("other")))).toEqual([
      {
        type: "refuse",
        volume: "a",
        problem: "PVC default/web-a was not created for pod default/web (pod is not owner)",
      },
    ]);
  });
});

test("a pod with an ephemeral volume runs on a simulated one, and both go with it", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["*"], nodes: 1 });
  const { client, clock } = cluster;
  const pods = client.resource(Pod, { namespace: "default" });
  const claims = client.resource(PersistentVolumeClaim, { namespace: "default" });
  await clock.advance(2_000);
  await pods.create({ ...draft, metadata: { name: "web" } });
  const phase = async (): Promise<string | undefined> => {
    await clock.advance(1_000);
    return (await pods.get("web")).status?.phase;
  };
  await expect.poll(phase, { timeout: patienceMs }).toBe("Running");
  expect((await claims.list()).items.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
    ["web-a", "Bound"],
    ["web-b", "Bound"],
  ]);
  await pods.delete("web", { gracePeriodSeconds: 0 });
  const left = async (): Promise<number> => {
    await clock.advance(5_000);
    return (await claims.list()).items.length;
  };
  await expect.poll(left, { timeout: patienceMs }).toBe(0);
});
