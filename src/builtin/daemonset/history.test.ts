import { expect, test } from "vitest";
import { ControllerRevision, DaemonSet, Node, Pod } from "../../api/index.js";
import type { FakeClock } from "../../base/index.js";
import { startCluster, type TestCluster } from "../../testing/cluster.js";

const namespace = "default";
const hashLabel = "controller-revision-hash";
const labels = { app: "agent" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } };
const set = {
  metadata: { name: "agent" },
  spec: { selector: { matchLabels: labels }, template, updateStrategy: { type: "OnDelete" } },
} as const;

type Cluster = TestCluster<FakeClock>;
const start = (): Promise<Cluster> => startCluster({ clock: "virtual", controllers: ["daemonset"] });
/** Long enough for all writes to be in all caches, and for their consequences to be done. */
const pass = ({ clock }: Cluster): Promise<void> => clock.pass(10_000);

/** A node and a set with its pod there; nobody runs it. */
async function started(): Promise<Cluster> {
  const cluster = await start();
  const { client } = cluster;
  await client.resource(Node).create({ metadata: { name: "n1" } });
  await client.resource(Node).patch("n1", { merge: { spec: { taints: null } } });
  await pass(cluster);
  await client.resource(DaemonSet, { namespace }).create(set);
  await pass(cluster);
  expect((await client.resource(DaemonSet, { namespace }).get("agent")).status?.updatedNumberScheduled).toBe(1);
  return cluster;
}

const revisions = ({ client }: TestCluster) => client.resource(ControllerRevision, { namespace });
const list = async (cluster: TestCluster): Promise<readonly ControllerRevision[]> =>
  (await revisions(cluster).list()).items.toSorted((a, b) => a.revision - b.revision);
const podHash = async ({ client }: TestCluster): Promise<string | undefined> =>
  (await client.resource(Pod, { namespace }).list()).items[0]?.metadata.labels?.[hashLabel];
/** Revisions wake nobody: the set is looked at once more. */
async function touch(cluster: Cluster): Promise<void> {
  await pass(cluster);
  const metadata = { annotations: { look: "again" } };
  await cluster.client.resource(DaemonSet, { namespace }).patch("agent", { merge: { metadata } });
  await pass(cluster);
}

test("of two revisions with one template the later stays, and pods get its label", async () => {
  await using cluster = await started();
  const [first] = (await list(cluster)) as [ControllerRevision];
  const { name: _name, uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = first.metadata;
  const twin = { ...metadata, name: "agent-twin", labels: { ...metadata.labels, [hashLabel]: "twin" } };
  await revisions(cluster).create({ ...first, metadata: twin, revision: 2 });
  await touch(cluster);
  expect(await podHash(cluster)).toBe("twin");
  expect((await list(cluster)).map(({ metadata: { name: kept } }) => kept)).toEqual(["agent-twin"]);
});

test("a revision that lost its label gets its name for one", async () => {
  await using cluster = await started();
  const [first] = (await list(cluster)) as [ControllerRevision];
  const { name } = first.metadata;
  await revisions(cluster).patch(name, { merge: { metadata: { labels: { [hashLabel]: null } } } });
  await touch(cluster);
  expect((await list(cluster)).map(({ metadata }) => [metadata.name, metadata.labels?.[hashLabel]])).toEqual([
    [name, name],
  ]);
});

test("a name that another template has taken is counted, and another taken", async () => {
  await using cluster = await start();
  const sets = cluster.client.resource(DaemonSet, { namespace });
  await sets.create(set);
  await pass(cluster);
  const [first] = (await list(cluster)) as [ControllerRevision];
  const { name } = first.metadata;
  await sets.delete("agent");
  await revisions(cluster).delete(name);
  await revisions(cluster).create({ metadata: { name }, revision: 1, data: { other: true } } as never);
  await pass(cluster);
  await sets.create(set);
  await pass(cluster);
  expect((await sets.get("agent")).status).toMatchObject({ collisionCount: 1, observedGeneration: 1 });
  const names = (await list(cluster)).map(({ metadata }) => metadata.name);
  expect([names.length, names.includes(name)]).toEqual([2, true]);
});

test("revisions that pods have count as history, but others go first", async () => {
  await using cluster = await started();
  const sets = cluster.client.resource(DaemonSet, { namespace });
  await sets.patch("agent", { merge: { spec: { revisionHistoryLimit: 1 } } });
  for (const image of ["two", "three", "four"]) {
    const containers = [{ name: "c", image }];
    await sets.patch("agent", { merge: { spec: { template: { spec: { containers } } } } });
    await pass(cluster);
  }
  expect((await list(cluster)).map(({ revision }) => revision)).toEqual([1, 4]);
});
