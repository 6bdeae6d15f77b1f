/** A whole cluster in this process, on a clock that the test owns: server, controllers, scheduler and simulated nodes. */
import { describe, expect, test } from "vitest";
import { Deployment, type Draft, Event, Job, Lease, Node, Pod, PriorityClass } from "../../src/api/index.js";
import { FakeClock, Lifetime, seededRandom, startRunning } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { builtInControllers, runControllers } from "../../src/builtin/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { powerAnnotation, startSimulatedNodes } from "../../src/machines/index.js";
import { startScheduler } from "../../src/scheduler/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

const namespace = "default";

async function startCluster(count: number) {
  const lifetime = new Lifetime();
  const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
  const random = seededRandom(count);
  const server = lifetime.use(await startTestServer({ clock, random }));
  const client = lifetime.use(new Client({ transport: server.transport(), clock, random }));
  const informers = new SharedInformerFactory(client, { clock, random, freeze: true });
  lifetime.defer(() => informers.shutdown());
  const shared = { client, informers, clock, random };
  const nodes = lifetime.use(startSimulatedNodes({ ...shared, nodes: count }));
  const scheduler = lifetime.use(startScheduler(shared));
  lifetime.use(startRunning((signal) => runControllers({ ...shared, controllers: builtInControllers, signal })));
  const pass = (ms: number): Promise<void> => clock.pass(ms);
  await Promise.all([nodes.started, scheduler.started, pass(1_000)]);
  await pass(10_000);
  const pods = client.resource(Pod, { namespace });
  const list = async (): Promise<readonly Pod[]> => (await pods.list()).items;
  const reasons = async (name: string): Promise<readonly (string | undefined)[]> => {
    const events = (await client.resource(Event, { namespace }).list()).items;
    return events.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
  };
  return { clock, pass, client, pods, list, reasons, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

function template(annotations: Readonly<Record<string, string>> = {}) {
  return { metadata: { labels: { app: "web" }, annotations }, spec: { containers: [{ name: "web", image: "nginx" }] } };
}

const deployment = (replicas: number): Draft<Deployment> => ({
  metadata: { name: "web", namespace },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template() },
});

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") ?? false;

const onNodes = (pods: readonly Pod[]): readonly string[] => pods.map(({ spec }) => spec?.nodeName ?? "").sort();

describe("a cluster of simulated nodes", () => {
  test("runs a Deployment, spread over its nodes, and replaces a pod that is deleted", async () => {
    await using cluster = await startCluster(3);
    await cluster.client.resource(Deployment).create(deployment(3));
    await cluster.pass(2_000);
    const pods = await cluster.list();
    expect(onNodes(pods)).toEqual(["node-1", "node-2", "node-3"]);
    expect(pods.every(isReady)).toBe(true);
    expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(3);
    const [victim] = pods;
    const name = victim?.metadata.name ?? "";
    expect(await cluster.reasons(name)).toEqual(
      expect.arrayContaining(["Scheduled", "Pulled", "Created", "Started"]) as string[],
    );
    await cluster.pods.delete(name);
    await cluster.pass(5_000);
    const after = await cluster.list();
    expect(after.map((pod) => pod.metadata.name)).not.toContain(name);
    expect([after.length, after.every(isReady)]).toEqual([3, true]);
  });

  test("ends a pod that is deleted or changed while its status is being written", async () => {
    await using lifetime = new Lifetime();
    const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
    const server = lifetime.use(await startTestServer({ clock }));
    const client = lifetime.use(new Client({ transport: server.transport(), clock }));
    const pods = client.resource(Pod, { namespace });
    const notReady = { merge: { metadata: { annotations: { "coxswain.dev/ready": "false" } } } };
    const meanwhile = new Map([
      ["deleted", () => pods.delete("deleted")],
      ["annotated", () => pods.patch("annotated", notReady)],
    ]);
    const transport = server.transport();
    const overtaken = new Client({
      clock,
      transport: async (request, signal) => {
        const [, name = ""] = /\/pods\/(\w+)\/status/.exec(request.path) ?? [];
        const first = meanwhile.get(name);
        meanwhile.delete(name);
        await first?.();
        return transport(request, signal);
      },
    });
    const nodes = lifetime.use(startSimulatedNodes({ client: lifetime.use(overtaken), nodes: 1, clock }));
    await Promise.all([nodes.started, clock.pass(1_000)]);
    const spec = { nodeName: "node-1", containers: [{ name: "c", image: "i" }] };
    for (const name of meanwhile.keys()) await pods.create({ metadata: { name, namespace }, spec });
    await clock.pass(5_000);
    expect((await pods.list()).items.map((pod) => [pod.metadata.name, isReady(pod)])).toEqual([["annotated", false]]);
  });

  test("moves the pods of a node that loses its power, and takes the node back", async () => {
    await using cluster = await startCluster(3);
    await cluster.client.resource(Deployment).create(deployment(3));
    await cluster.pass(2_000);
    const nodes = cluster.client.resource(Node);
    const power = (state: string | null): Promise<Node> =>
      nodes.patch("node-2", { merge: { metadata: { annotations: { [powerAnnotation]: state } } } });
    const ready = async (): Promise<unknown> =>
      (await nodes.get("node-2")).status?.conditions?.find(({ type }) => type === "Ready")?.status;
    await power("off");
    await cluster.pass(70_000);
    expect(await ready()).toBe("Unknown");
    await cluster.pass(330_000);
    const moved = (await cluster.list()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect([moved.length, moved.every(isReady), onNodes(moved).includes("node-2")]).toEqual([3, true, false]);
    // the pods stay until their node can report that they have ended
    expect((await cluster.list()).length).toBe(4);
    await power(null);
    await cluster.pass(20_000);
    expect(await ready()).toBe("True");
    await nodes.patch("node-2", { merge: { spec: { unschedulable: true } } });
    await nodes.patch("node-2", { merge: { spec: { unschedulable: null } } });
    await cluster.pass(2_000);
    expect(await cluster.reasons("node-2")).toEqual(
      expect.arrayContaining(["NodeReady", "NodeNotSchedulable", "NodeSchedulable"]) as string[],
    );
    expect((await cluster.list()).length).toBe(3);
    expect((await nodes.get("node-2")).spec?.taints ?? []).toEqual([]);
  });

  test("lets a Job fail and try again as its annotations say", async () => {
    await using cluster = await startCluster(1);
    const { spec, metadata } = template({ "coxswain.dev/run-for": "5s", "coxswain.dev/exit-code": "3" });
    await cluster.client.resource(Job).create({
      metadata: { name: "work", namespace },
      spec: { backoffLimit: 1, template: { metadata, spec: { ...spec, restartPolicy: "Never" } } },
    });
    await cluster.pass(120_000);
    const job = await cluster.client.resource(Job, { namespace }).get("work");
    expect(job.status).toMatchObject({ failed: 2 });
    expect(job.status?.conditions?.find(({ type }) => type === "Failed")).toMatchObject({
      status: "True",
      reason: "BackoffLimitExceeded",
    });
    const [pod] = await cluster.list();
    expect(pod?.status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: "Error" } } }],
    });
  });

  test.each(["True", "False"] as const)(
    "takes back what a late scheduler says of a pod that is done (%s)",
    async (status) => {
      await using cluster = await startCluster(1);
      const { spec, metadata } = template({ "coxswain.dev/run-for": "5s" });
      await cluster.pods.create({ metadata: { name: "done", ...metadata }, spec: { ...spec, restartPolicy: "Never" } });
      await cluster.pass(20_000);
      const conditions = [{ type: "PodScheduled", status, reason: "SchedulerError", message: "the answer was lost" }];
      await cluster.pods.status.patch("done", { strategic: { status: { conditions } } });
      await cluster.pass(1_000);
      const found = (await cluster.pods.get("done")).status;
      const scheduled = found?.conditions?.find(({ type }) => type === "PodScheduled");
      expect([found?.phase, scheduled?.status, scheduled?.reason, scheduled?.message]).toEqual([
        "Succeeded",
        "True",
        undefined,
        undefined,
      ]);
    },
  );

  test("says why a pod has no node, and gives it one when a node comes that will do", async () => {
    await using cluster = await startCluster(2);
    const { spec, metadata } = template();
    await cluster.pods.create({
      metadata: { name: "picky", ...metadata },
      spec: { ...spec, nodeSelector: { disk: "ssd" } },
    });
    await cluster.pass(1_000);
    const waiting = await cluster.pods.get("picky");
    expect(waiting.status?.conditions).toMatchObject([
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: expect.stringMatching(
          /^0\/2 nodes are available: 2 node\(s\) didn't match Pod's node affinity\/selector\./,
        ) as string,
      },
    ]);
    await cluster.client.resource(Node).patch("node-2", { merge: { metadata: { labels: { disk: "ssd" } } } });
    await cluster.pass(2_000);
    expect((await cluster.pods.get("picky")).spec?.nodeName).toBe("node-2");
  });

  test("makes room for a pod of higher priority: nominates a node, evicts, waits, and binds", async () => {
    await using cluster = await startCluster(1);
    const { metadata } = template({ "coxswain.dev/stop-after": "8s" });
    const asking = (cpu: string) => ({ containers: [{ name: "web", image: "i", resources: { requests: { cpu } } }] });
    await cluster.client.resource(PriorityClass).create({ metadata: { name: "high" }, value: 1000 });
    await cluster.pods.create({ metadata: { name: "low", ...metadata }, spec: asking("20") });
    await cluster.pods.create({ metadata: { name: "small", ...metadata }, spec: asking("1") });
    await cluster.pass(1_000);
    const spec = { ...asking("20"), priorityClassName: "high" };
    await cluster.pods.create({ metadata: { name: "urgent" }, spec });
    await cluster.pass(3_000);
    const waiting = await cluster.pods.get("urgent");
    expect(waiting.status).toMatchObject({
      nominatedNodeName: "node-1",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", observedGeneration: 1 }],
    });
    const leaving = await cluster.pods.get("low");
    expect(leaving.metadata.deletionTimestamp).toBeDefined();
    expect(leaving.status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    });
    expect(await cluster.reasons("low")).toContain("Preempted");
    await cluster.pods.create({ metadata: { name: "late" }, spec: asking("15") });
    await cluster.pass(8_000);
    const placed = await cluster.pods.get("urgent");
    expect([placed.spec?.nodeName, placed.status?.nominatedNodeName, isReady(placed)]).toEqual([
      "node-1",
      undefined,
      true,
    ]);
    // room that was freed for one pod is not taken by another
    expect((await cluster.pods.get("late")).spec?.nodeName).toBeUndefined();
    expect((await cluster.list()).map((pod) => pod.metadata.name).sort()).toEqual(["late", "small", "urgent"]);
  });

  test("gives a pod that is resized more when there is room", async () => {
    await using cluster = await startCluster(1);
    const asking = (cpu: string) => ({ containers: [{ name: "web", image: "i", resources: { requests: { cpu } } }] });
    for (const name of ["a", "b"]) await cluster.pods.create({ metadata: { name }, spec: asking("10") });
    await cluster.pass(1_000);
    await cluster.pods.subresource("resize").patch("a", { strategic: { spec: asking("25") } });
    await cluster.pass(1_000);
    const pending = async (): Promise<unknown> =>
      (await cluster.pods.get("a")).status?.conditions?.find(({ type }) => type === "PodResizePending")?.message;
    const given = async (): Promise<unknown> =>
      (await cluster.pods.get("a")).status?.containerStatuses?.[0]?.allocatedResources;
    expect([await pending(), await given()]).toEqual([
      "Node didn't have enough resource: cpu, requested: 25000, used: 10000, capacity: 32000",
      { cpu: "10" },
    ]);
    await cluster.pods.delete("b");
    await cluster.pass(5_000);
    expect([await pending(), await given()]).toEqual([undefined, { cpu: "25" }]);
    expect(await cluster.reasons("a")).toEqual(
      expect.arrayContaining(["ResizeDeferred", "ResizeStarted", "ResizeCompleted"]) as string[],
    );
  });

  test("gives a pod that is resized more when another one shrinks, in its own time, with a restart if it wants one", async () => {
    await using cluster = await startCluster(1);
    const asking = (cpu: string) => ({
      containers: [
        {
          name: "web",
          image: "i",
          resources: { requests: { cpu } },
          resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
        },
      ],
    });
    const annotations = { "coxswain.dev/resize-after": "5s" };
    await cluster.pods.create({ metadata: { name: "a", annotations }, spec: asking("10") });
    await cluster.pods.create({ metadata: { name: "b" }, spec: asking("20") });
    await cluster.pass(1_000);
    const resize = (name: string, cpu: string) =>
      cluster.pods.subresource("resize").patch(name, { strategic: { spec: asking(cpu) } });
    const told = async (): Promise<unknown> => {
      const { conditions = [], containerStatuses = [] } = (await cluster.pods.get("a")).status ?? {};
      const [state] = conditions.filter(({ type }) => type.startsWith("PodResize"));
      const [{ allocatedResources, resources, restartCount } = {}] = containerStatuses;
      return [state?.type, allocatedResources?.["cpu"], resources?.requests?.["cpu"], restartCount];
    };
    await resize("a", "25");
    await cluster.pass(1_000);
    expect(await told()).toEqual(["PodResizePending", "10", "10", 0]);
    await resize("b", "5");
    await cluster.pass(1_000);
    expect(await told()).toEqual(["PodResizeInProgress", "25", "10", 0]);
    await cluster.pass(6_000);
    expect(await told()).toEqual([undefined, "25", "25", 1]);
    const reasons = await cluster.reasons("a");
    const expected = ["Killing", "ResizeCompleted", "ResizeDeferred", "ResizeStarted"];
    expect(new Set(reasons.filter((reason = "") => /^(Resize|Killing)/.test(reason)))).toEqual(new Set(expected));
  });

  test("ends a pod gracefully: its last status is written before it is gone", async () => {
    await using cluster = await startCluster(1);
    const { spec, metadata } = template({ "coxswain.dev/stop-after": "8s", "coxswain.dev/stop-exit-code": "0" });
    await cluster.pods.create({ metadata: { name: "slow", ...metadata, finalizers: ["example.com/keep"] }, spec });
    await cluster.pass(1_000);
    await cluster.pods.delete("slow");
    await cluster.pass(7_000);
    expect((await cluster.pods.get("slow")).status?.phase).toBe("Running");
    await cluster.pass(2_000);
    const ended = await cluster.pods.get("slow");
    expect(ended.status).toMatchObject({ phase: "Succeeded", containerStatuses: [{ ready: false }] });
    expect(ended.metadata.deletionGracePeriodSeconds).toBe(0);
    await cluster.pods.patch("slow", { merge: { metadata: { finalizers: null } } });
    await cluster.pass(1_000);
    expect(await cluster.pods.getOrUndefined("slow")).toBeUndefined();
  });

  test("goes on with a pod after the clock was set back", async () => {
    await using cluster = await startCluster(1);
    const { spec, metadata } = template({ "coxswain.dev/run-for": "30s" });
    await cluster.pods.create({ metadata: { name: "brief", ...metadata }, spec: { ...spec, restartPolicy: "Never" } });
    await cluster.pass(10_000);
    cluster.clock.jumpWall(-20_000);
    await cluster.pass(15_000);
    expect((await cluster.pods.get("brief")).status?.phase).toBe("Running");
    // it runs no longer than it was meant to
    await cluster.pass(10_000);
    expect((await cluster.pods.get("brief")).status?.phase).toBe("Succeeded");
  });

  test("writes nothing while nothing happens, but its leases", async () => {
    await using cluster = await startCluster(2);
    await cluster.client.resource(Deployment).create(deployment(4));
    await cluster.pass(30_000);
    const revisions = async (): Promise<readonly (string | undefined)[]> => [
      ...(await cluster.list()).map(({ metadata }) => metadata.resourceVersion),
      ...(await cluster.client.resource(Node).list()).items.map(({ metadata }) => metadata.resourceVersion),
    ];
    const leases = cluster.client.resource(Lease, { namespace: "kube-node-lease" });
    const before = await revisions();
    const { spec } = await leases.get("node-1");
    await cluster.pass(60_000);
    expect(await revisions()).toEqual(before);
    expect((await leases.get("node-1")).spec?.renewTime).not.toBe(spec?.renewTime);
    expect(spec).toMatchObject({ holderIdentity: "node-1", leaseDurationSeconds: 40 });
  });
});
