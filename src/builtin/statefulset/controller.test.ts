import { expect, test } from "vitest";
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet, type StatefulSetSpec } from "../../api/index.js";
import type { FakeClock } from "../../base/index.js";
import { startCluster, type TestCluster } from "../../testing/cluster.js";

const namespace = "default";
const labels = { app: "db" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } };
const volumeClaimTemplates = [
  {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
  },
];
const setOf = (spec: Partial<StatefulSetSpec> = {}) => ({
  metadata: { name: "db" },
  spec: { replicas: 2, serviceName: "db", selector: { matchLabels: labels }, template, ...spec },
});

type Cluster = TestCluster<FakeClock>;
const start = (): Promise<Cluster> => startCluster({ clock: "virtual", controllers: ["statefulset"] });
/** Long enough for a try that failed a few times to be made again. */
const pass = ({ clock }: Cluster): Promise<void> => clock.pass(10_000);
const setsOf = ({ client }: TestCluster) => client.resource(StatefulSet, { namespace });
const podsOf = ({ client }: TestCluster) => client.resource(Pod, { namespace });
const claimsOf = ({ client }: TestCluster) => client.resource(PersistentVolumeClaim, { namespace });
const revisionsOf = ({ client }: TestCluster) => client.resource(ControllerRevision, { namespace });

/** Plays the kubelet, once the pod is there. */
async function run(cluster: Cluster, name: string): Promise<void> {
  await pass(cluster);
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  await podsOf(cluster).status.patch(name, { strategic: { status: { phase: "Running", conditions } } });
  await pass(cluster);
}

const told = ({ events }: TestCluster): readonly string[] =>
  events.map((event) => event.replace("StatefulSet db ", ""));

test("somebody else's pod with the name of one replica does not hold up the others of a parallel set", async () => {
  await using cluster = await start();
  await podsOf(cluster).create({ metadata: { name: "db-1" }, spec: template.spec });
  await setsOf(cluster).create(setOf({ replicas: 3, podManagementPolicy: "Parallel" }));
  await pass(cluster);
  const owners = (await podsOf(cluster).list()).items.map(({ metadata: { name, ownerReferences = [] } }) => [
    name,
    ownerReferences.length,
  ]);
  expect(owners).toEqual([
    ["db-0", 1],
    ["db-1", 0],
    ["db-2", 1],
  ]);
});

test("a claim that is being deleted holds up its pod, which is told", async () => {
  await using cluster = await start();
  const [{ metadata, spec }] = volumeClaimTemplates as [(typeof volumeClaimTemplates)[number]];
  const finalizers = ["example.com/hold"];
  await claimsOf(cluster).create({ metadata: { ...metadata, name: "data-db-0", finalizers }, spec });
  await claimsOf(cluster).delete("data-db-0");
  await pass(cluster);
  await setsOf(cluster).create(setOf({ volumeClaimTemplates }));
  await pass(cluster);
  expect(told(cluster)).toContain(
    "FailedCreate Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted",
  );
  await claimsOf(cluster).patch("data-db-0", { merge: { metadata: { finalizers: null } } });
  await pass(cluster);
  await pass(cluster);
  expect((await podsOf(cluster).list()).items.map(({ metadata: { name } }) => name)).toEqual(["db-0"]);
  expect(told(cluster)).toContain("SuccessfulCreate Create Claim data-db-0 Pod db-0 in StatefulSet db success");
});

test("a new policy gives the claims of running pods their owners, and takes them back", async () => {
  await using cluster = await start();
  const set = await setsOf(cluster).create(setOf({ replicas: 1, volumeClaimTemplates }));
  await run(cluster, "db-0");
  const owned = async (whenDeleted: "Delete" | "Retain", uids: readonly (string | undefined)[]): Promise<void> => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted, whenScaled: "Retain" };
    await setsOf(cluster).patch("db", { merge: { spec: { persistentVolumeClaimRetentionPolicy } } });
    await pass(cluster);
    const claim = await claimsOf(cluster).get("data-db-0");
    expect((claim.metadata.ownerReferences ?? []).map(({ uid }) => uid)).toEqual(uids);
  };
  await owned("Delete", [set.metadata.uid]);
  await owned("Retain", []);
  const updates = told(cluster).filter(
    (event) => event === "SuccessfulUpdate Update Pod db-0 in StatefulSet db successful",
  );
  expect(updates).toHaveLength(2);
});

test("a pod that the set owns but that has no name of its own is let go", async () => {
  await using cluster = await start();
  const { metadata } = await setsOf(cluster).create(setOf({ replicas: 0 }));
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: metadata.uid ?? "", controller: true };
  await podsOf(cluster).create({ metadata: { name: "db-x", labels, ownerReferences: [owner] }, spec: template.spec });
  await pass(cluster);
  expect((await podsOf(cluster).get("db-x")).metadata.ownerReferences ?? []).toEqual([]);
});

test("a pod without its label gets it back", async () => {
  await using cluster = await start();
  await setsOf(cluster).create(setOf({ replicas: 1 }));
  await run(cluster, "db-0");
  const name = "statefulset.kubernetes.io/pod-name";
  await podsOf(cluster).patch("db-0", { merge: { metadata: { labels: { [name]: null } } } });
  await pass(cluster);
  expect((await podsOf(cluster).get("db-0")).metadata.labels).toMatchObject({ [name]: "db-0" });
  expect(told(cluster)).toContain("SuccessfulUpdate Update Pod db-0 in StatefulSet db successful");
});

test("a template that was there before gets a new number, not a new revision, and old ones go beyond the limit", async () => {
  await using cluster = await start();
  await setsOf(cluster).create(setOf({ replicas: 0, revisionHistoryLimit: 1 }));
  const to = async (image: string): Promise<StatefulSet> => {
    const containers = [{ name: "c", image }];
    await setsOf(cluster).patch("db", { merge: { spec: { template: { spec: { containers } } } } });
    await pass(cluster);
    return setsOf(cluster).get("db");
  };
  const first = await to("one");
  await to("two");
  const back = await to("one");
  expect(back.status?.updateRevision).toBe(first.status?.updateRevision);
  await to("three");
  const numbers = (await revisionsOf(cluster).list()).items.map(({ revision }) => revision);
  expect(numbers.toSorted((a, b) => a - b)).toEqual([3, 4]);
});
