import { expect, test } from "vitest";
import { ControllerRevision, DaemonSet, Node, Pod } from "../../api/index.js";
import { startCluster, type TestCluster } from "../../testing/cluster.js";
import { daemonSetController } from "./index.js";

const namespace = "default";
const hashLabel = "controller-revision-hash";
const labels = { app: "agent" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } };
const set = {
  metadata: { name: "agent" },
  spec: { selector: { matchLabels: labels }, template, updateStrategy: { type: "OnDelete" } },
} as const;

/** A node and a set with its pod there; nobody runs it. */
async function started(): Promise<TestCluster> {
  const cluster = await startCluster({ controllers: [daemonSetController] });
  const { client } = cluster;
  await client.resource(Node).create({ metadata: { name: "n1" } });
  await client.resource(Node).patch("n1", { merge: { spec: { taints: null } } });
  await client.resource(DaemonSet, { namespace }).create(set);
  await client.resource(DaemonSet, { namespace }).waitFor("agent", (one) => one?.status?.updatedNumberScheduled === 1);
  return cluster;
}

const revisions = ({ client }: TestCluster) => client.resource(ControllerRevision, { namespace });
const list = async (cluster: TestCluster): Promise<readonly ControllerRevision[]> =>
  (await revisions(cluster).list()).items.toSorted((a, b) => a.revision - b.revision);
const podHash = async ({ client }: TestCluster): Promise<string | undefined> =>
  (await client.resource(Pod, { namespace }).list()).items[0]?.metadata.labels?.[hashLabel];
const touch = ({ client }: TestCluster, metadata: object): Promise<unknown> =>
  client.resource(DaemonSet, { namespace }).patch("agent", { merge: { metadata } });

test("of two revisions with one template the later stays, and pods get its label", async () => {
  await using cluster = await started();
  const [first] = (await list(cluster)) as [ControllerRevision];
  const { name: _name, uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = first.metadata;
  const twin = { ...metadata, name: "agent-twin", labels: { ...metadata.labels, [hashLabel]: "twin" } };
  await revisions(cluster).create({ ...first, metadata: twin, revision: 2 });
  await touch(cluster, { annotations: { look: "again" } });
  await revisions(cluster).waitFor(first.metadata.name, (one) => one === undefined);
  expect(await podHash(cluster)).toBe("twin");
  expect((await list(cluster)).map(({ metadata: { name: kept } }) => kept)).toEqual(["agent-twin"]);
});

test("a revision that lost its label gets its name for one", async () => {
  await using cluster = await started();
  const [first] = (await list(cluster)) as [ControllerRevision];
  const { name } = first.metadata;
  await revisions(cluster).patch(name, { merge: { metadata: { labels: { [hashLabel]: null } } } });
  await touch(cluster, { annotations: { look: "again" } });
  await revisions(cluster).waitFor(name, (one) => one?.metadata.labels?.[hashLabel] === name);
  expect(await list(cluster)).toHaveLength(1);
});

test("a name that another template has taken is counted, and another taken", async () => {
  await using cluster = await startCluster({ controllers: [daemonSetController] });
  const sets = cluster.client.resource(DaemonSet, { namespace });
  await sets.create(set);
  await sets.waitFor("agent", (one) => one?.status?.observedGeneration === 1);
  const [first] = (await list(cluster)) as [ControllerRevision];
  const { name } = first.metadata;
  await sets.delete("agent");
  await revisions(cluster).delete(name);
  await revisions(cluster).create({ metadata: { name }, revision: 1, data: { other: true } } as never);
  await sets.create(set);
  const counted = await sets.waitFor("agent", (one) => one?.status?.observedGeneration === 1);
  expect(counted?.status?.collisionCount).toBe(1);
  const names = (await list(cluster)).map(({ metadata }) => metadata.name);
  expect([names.length, names.includes(name)]).toEqual([2, true]);
});

test("revisions that pods have count as history, but others go first", async () => {
  await using cluster = await started();
  const sets = cluster.client.resource(DaemonSet, { namespace });
  await sets.patch("agent", { merge: { spec: { revisionHistoryLimit: 1 } } });
  for (const image of ["two", "three", "four"]) {
    const containers = [{ name: "c", image }];
    const { metadata } = await sets.patch("agent", { merge: { spec: { template: { spec: { containers } } } } });
    await sets.waitFor("agent", (one) => one?.status?.observedGeneration === metadata.generation);
  }
  await expect.poll(async () => (await list(cluster)).map(({ revision }) => revision)).toEqual([1, 4]);
});
