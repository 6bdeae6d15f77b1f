import { describe, expect, test } from "vitest";
import { type Draft, Lease, Node, Pod, type Taint, type Toleration } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { TestCluster } from "../../src/testing/cluster.js";
import { startControllers } from "./in-process.js";

const namespace = "default";
const startMs = Date.parse("2026-01-01T00:00:00Z");
const taint: Taint = { key: "own", value: "x", effect: "NoExecute" };
const tolerated = (tolerationSeconds?: number): Toleration => ({
  key: "own",
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const podOn = (name: string, nodeName: string, tolerations: readonly Toleration[] = []): Draft<Pod> => ({
  metadata: { name },
  spec: { nodeName, containers: [{ name: "c", image: "x" }], tolerations },
});

const ready = (status: "True" | "False") => ({
  conditions: [{ type: "Ready", status, lastHeartbeatTime: "2026-01-01T00:00:00Z" }],
});

/** A node as its kubelet made it. */
async function addNode({ client }: TestCluster, name: string, status: "True" | "False" = "True"): Promise<void> {
  const labels = { "kubernetes.io/os": "linux" };
  await client.resource(Node).create({ metadata: { name, labels } });
  await client.resource(Node).status.patch(name, { strategic: { status: ready(status) } });
}

const about = (events: readonly string[], what: string) => events.filter((event) => event.includes(what));

describe("a pod on a node with a NoExecute taint", () => {
  test("goes at once, later, or never, as it tolerates; once, and with the reason on it", async () => {
    const clock = new FakeClock({ startMs });
    await using cluster = await startControllers(["taint-eviction"], { clock });
    const { client, events } = cluster;
    await addNode(cluster, "n");
    const pods = client.resource(Pod, { namespace });
    await pods.create(podOn("now", "n"));
    await pods.create(podOn("later", "n", [tolerated(60), tolerated(90)]));
    await pods.create(podOn("never", "n", [tolerated()]));
    await client.resource(Node).patch("n", { merge: { spec: { taints: [taint] } } });
    await clock.pass(2_000);
    const going = async () =>
      (await pods.list()).items
        .filter(({ metadata }) => metadata.deletionTimestamp)
        .map(({ metadata }) => metadata.name);
    expect(await going()).toEqual(["now"]);
    // a second look moves nothing
    await client.resource(Node).patch("n", { merge: { spec: { taints: [{ ...taint, value: "y" }] } } });
    await clock.pass(60_000);
    expect(await going()).toEqual(["later", "now"]);
    expect((await pods.get("now")).status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
      }),
    );
    expect(about(events, "TaintManagerEviction")).toEqual([
      "Pod now TaintManagerEviction Marking for deletion Pod default/now",
      "Pod later TaintManagerEviction Marking for deletion Pod default/later",
    ]);
  });

  test("stays if the taint goes in time, or the pod goes by itself; either is told", async () => {
    const clock = new FakeClock({ startMs });
    await using cluster = await startControllers(["taint-eviction"], { clock });
    const { client, events } = cluster;
    await addNode(cluster, "n");
    await client.resource(Node).patch("n", { merge: { spec: { taints: [taint] } } });
    const pods = client.resource(Pod, { namespace });
    for (const name of ["kept", "gone"]) await pods.create(podOn(name, "n", [tolerated(60)]));
    await clock.pass(10_000);
    await pods.delete("gone", { gracePeriodSeconds: 0 });
    await client.resource(Node).patch("n", { merge: { spec: { taints: [] } } });
    await clock.pass(120_000);
    expect((await pods.get("kept")).metadata.deletionTimestamp).toBeUndefined();
    expect(about(events, "TaintManagerEviction").toSorted()).toEqual([
      "Pod gone TaintManagerEviction Cancelling deletion of Pod default/gone",
      "Pod kept TaintManagerEviction Cancelling deletion of Pod default/kept",
    ]);
  });
});

describe("a node", () => {
  test("that falls silent takes the readiness from its pods, and from those that are bound to it later", async () => {
    const clock = new FakeClock({ startMs });
    await using cluster = await startControllers(["nodelifecycle"], { clock });
    const { client, events } = cluster;
    for (const name of ["silent", "other"]) await addNode(cluster, name);
    const pods = client.resource(Pod, { namespace });
    const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    const readiness = async (name: string) =>
      (await pods.get(name)).status?.conditions?.find(({ type }) => type === "Ready")?.status;
    await pods.create(podOn("a", "silent"));
    await pods.status.patch("a", { strategic: { status: running } });
    await pods.create(podOn("unsaid", "silent"));
    const leases = client.resource(Lease, { namespace: "kube-node-lease" });
    await leases.create({ metadata: { name: "other" }, spec: { renewTime: "2026-01-01T00:00:00.000000Z" } });
    const beat = (second: number) => `2026-01-01T00:${String(second).padStart(2, "0")}:00.000000Z`;
    for (let i = 1; i <= 7; i++) {
      await clock.pass(10_000);
      await leases.patch("other", { merge: { spec: { renewTime: beat(i) } } });
    }
    expect([await readiness("a"), await readiness("unsaid")]).toEqual(["False", undefined]);
    await pods.create(podOn("late", ""));
    await pods.status.patch("late", { strategic: { status: running } });
    const binding = { metadata: { name: "late" }, target: { kind: "Node", name: "silent" } };
    await pods.subresource("binding").create("late", binding as never);
    await clock.pass(1_000);
    expect(await readiness("late")).toBe("False");
    // a kubelet that speaks again has the last word
    await pods.status.patch("a", { strategic: { status: running } });
    await clock.pass(11_000);
    expect(await readiness("a")).toBe("True");
    expect(about(events, "NodeNotReady")).toEqual([
      "Node silent NodeNotReady Node silent status is now: NodeNotReady",
      "Pod a NodeNotReady Node is not ready",
      "Pod late NodeNotReady Node is not ready",
    ]);
    const { metadata, spec } = await client.resource(Node).get("silent");
    expect(metadata.labels).toMatchObject({ "beta.kubernetes.io/os": "linux" });
    expect(spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).toSorted()).toEqual([
      "node.kubernetes.io/unreachable:NoExecute",
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
  });

  test("whose kubelet says itself that it is not ready is tainted, and its pods are left to it", async () => {
    const clock = new FakeClock({ startMs });
    await using cluster = await startControllers(["nodelifecycle"], { clock });
    const { client, events } = cluster;
    for (const name of ["unwell", "other"]) await addNode(cluster, name);
    const pods = client.resource(Pod, { namespace });
    await pods.create(podOn("a", "unwell"));
    await pods.status.patch("a", { strategic: { status: { conditions: [{ type: "Ready", status: "True" }] } } });
    await clock.pass(6_000);
    await client.resource(Node).status.patch("unwell", { strategic: { status: ready("False") } });
    await clock.pass(12_000);
    const { spec } = await client.resource(Node).get("unwell");
    expect(spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).toSorted()).toEqual([
      "node.kubernetes.io/not-ready:NoExecute",
      "node.kubernetes.io/not-ready:NoSchedule",
    ]);
    expect((await pods.get("a")).status?.conditions?.[0]?.status).toBe("True");
    expect(about(events, "NodeNotReady")).toEqual([]);
  });
});

test("a taint that cannot be written is written later, and the controller goes on meanwhile", async () => {
  const clock = new FakeClock({ startMs });
  let refusals = 0;
  await using cluster = await startControllers(["nodelifecycle"], {
    clock,
    faults({ method, body }) {
      const isTaint = method === "PATCH" && body instanceof Uint8Array && Buffer.from(body).includes("NoExecute");
      return isTaint && refusals++ < 3 ? { type: "answer", code: 500 } : undefined;
    },
  });
  for (const name of ["unwell", "other"]) await addNode(cluster, name);
  const nodes = cluster.client.resource(Node);
  await nodes.status.patch("unwell", { strategic: { status: ready("False") } });
  // a try every ten seconds; after fifty the other node counts as lost too, and then none is tainted
  await clock.pass(40_000);
  expect(refusals).toBeGreaterThan(3);
  expect((await nodes.get("unwell")).spec?.taints?.map(({ effect }) => effect)).toContain("NoExecute");
});

test("a node whose taints cannot be changed keeps no other from losing its own", async () => {
  const clock = new FakeClock({ startMs });
  await using cluster = await startControllers(["nodelifecycle"], {
    clock,
    faults: ({ method, path }) =>
      method === "PATCH" && path.endsWith("/nodes/a") ? { type: "answer", code: 500 } : undefined,
  });
  const taints: readonly Taint[] = [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }];
  const nodes = cluster.client.resource(Node);
  for (const name of ["a", "b"]) {
    await addNode(cluster, name);
    await nodes.patch(name, { merge: { spec: { taints } } });
  }
  await clock.pass(11_000);
  const left = async (name: string): Promise<unknown> =>
    (await nodes.get(name)).spec?.taints?.filter(({ effect }) => effect === "NoExecute");
  expect([await left("a"), (await left("b")) ?? []]).toEqual([[expect.objectContaining(taints[0])], []]);
});

test("a node that cannot be asked for keeps no pods of other nodes waiting", async () => {
  const clock = new FakeClock({ startMs });
  await using cluster = await startControllers(["podgc"], {
    clock,
    faults: ({ method, path }) =>
      method === "GET" && path.endsWith("/nodes/a") ? { type: "answer", code: 500 } : undefined,
  });
  const pods = cluster.client.resource(Pod, { namespace });
  const finalizers = ["example.com/hold"];
  for (const node of ["a", "b"]) await pods.create({ ...podOn(node, node), metadata: { name: node, finalizers } });
  // found missing after 20 s, asked for 40 s later
  await clock.pass(70_000);
  const phases = await Promise.all(["a", "b"].map(async (name) => (await pods.get(name)).status?.phase));
  expect(phases).toEqual(["Pending", "Failed"]);
});

test("pods of a node that is gone fail and go after 40 s, and so does a pod that never had a node", async () => {
  const clock = new FakeClock({ startMs });
  await using cluster = await startControllers(["podgc"], { clock });
  const { client } = cluster;
  for (const name of ["gone", "there"]) await addNode(cluster, name);
  const pods = client.resource(Pod, { namespace });
  const finalizers = ["example.com/hold"];
  await pods.create({ ...podOn("orphan", "gone"), metadata: { name: "orphan", finalizers } });
  await pods.create(podOn("fine", "there"));
  await pods.create({ ...podOn("unbound", ""), metadata: { name: "unbound", finalizers } });
  await client.resource(Node).delete("gone");
  await pods.delete("unbound");
  await clock.pass(39_000);
  expect((await pods.get("unbound")).status?.phase).toBe("Failed");
  expect((await pods.get("orphan")).status?.phase).toBe("Pending");
  await clock.pass(42_000);
  const orphan = await pods.get("orphan");
  expect(orphan.metadata.deletionTimestamp).toBeDefined();
  expect(orphan.status).toMatchObject({ phase: "Failed" });
  expect(orphan.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    }),
  );
  expect((await pods.get("fine")).metadata.deletionTimestamp).toBeUndefined();
});
