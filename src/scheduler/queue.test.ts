import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../api/index.js";
import { FakeClock } from "../base/index.js";
import { defaultFilters } from "./filters/index.js";
import { backoffMs, SchedulingQueue } from "./queue.js";
import { podInfo } from "./state/pod-info.js";

function pod(name: string, spec: Partial<Pod["spec"]> = {}): ReturnType<typeof podInfo> {
  return podInfo({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: name },
    spec: { containers: [], ...spec },
  });
}

const isHeld = ({ spec }: Pod): boolean => (spec?.schedulingGates?.length ?? 0) > 0;

function setup() {
  const clock = new FakeClock();
  const queue = new SchedulingQueue({ clock, filters: () => defaultFilters, isHeld, onReady: () => {} });
  const names = (): string[] => {
    const taken: string[] = [];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) taken.push(next.info.uid);
    return taken;
  };
  /** Takes the pod and says that these filters refused it. */
  const fail = (...filters: readonly string[]): void => {
    const taken = queue.pop();
    if (taken === undefined) throw new Error("nothing to take");
    queue.failed(taken, new Set(filters));
  };
  return { clock, queue, names, fail, [Symbol.dispose]: () => queue.stop() };
}

const fresh = { matters: true } as const;

const node = (name: string, { labels, taints, cpu = "4" }: NodeShape = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, ...(labels && { labels }) },
  spec: taints === undefined ? {} : { taints: taints.map((key) => ({ key, effect: "NoSchedule" })) },
  status: { allocatable: { cpu, memory: "8Gi", pods: "10" } },
});

interface NodeShape {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly string[];
  readonly cpu?: string;
}

const removed = { type: "pod-removed", pod: pod("other") } as const;

describe("pods that wait for a node", () => {
  test("come by priority, then in the order in which they came", () => {
    using given = setup();
    for (const [name, priority] of [
      ["a", 0],
      ["b", 10],
      ["c", 0],
      ["d", 10],
    ] as const) {
      given.queue.set(pod(name, { priority }), fresh);
    }
    expect(given.names()).toEqual(["b", "d", "a", "c"]);
  });

  test("wait longer after each failure: 1 s, 2 s, 4 s, 8 s, 10 s", () => {
    expect([1, 2, 3, 4, 5, 60].map((attempts) => backoffMs(attempts))).toEqual([
      1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  test("are woken by what may help, and tried at once if nobody else waits", () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.fail("NodeResourcesFit");
    given.queue.onEvent({ type: "node-set", node: node("n", { labels: { a: "b" } }), previous: node("n") });
    expect(given.queue.counts).toMatchObject({ unschedulable: 1 });
    given.queue.onEvent(removed);
    expect(given.queue.counts).toMatchObject({ unschedulable: 0, backoff: 1 });
    expect(given.names()).toEqual(["a"]);
  });

  test("come after those that have not failed, until their back-off is over", async () => {
    using given = setup();
    given.queue.set(pod("a", { priority: 10 }), fresh);
    given.fail("NodeResourcesFit");
    given.queue.onEvent(removed);
    given.queue.set(pod("b"), fresh);
    expect(given.names()).toEqual(["b", "a"]);
    given.queue.set(pod("c", { priority: 10 }), fresh);
    given.fail("NodeResourcesFit");
    given.queue.onEvent(removed);
    await given.clock.advance(1_000);
    given.queue.set(pod("d"), fresh);
    expect(given.names()).toEqual(["c", "d"]);
  });

  test("in a crowd wait for the end of their back-off", async () => {
    using given = setup();
    for (let index = 0; index < 65; index++) given.queue.set(pod(`p${index}`), fresh);
    for (let index = 0; index < 65; index++) given.fail("NodeResourcesFit");
    given.queue.onEvent(removed);
    expect(given.names()).toEqual([]);
    await given.clock.advance(1_000);
    expect(given.names()).toHaveLength(65);
  });

  for (const [filter, change, helps] of [
    ["TaintToleration", [{ taints: ["x"] }, {}], true],
    ["TaintToleration", [{ taints: ["x", "y"] }, { taints: ["y"] }], false],
    ["NodeAffinity", [{}, { labels: { disk: "ssd" } }], true],
    ["NodeAffinity", [{}, { labels: { disk: "old" } }], false],
    ["NodeResourcesFit", [{ cpu: "1" }, { cpu: "3" }], true],
    ["NodeResourcesFit", [{ cpu: "1" }, { cpu: "1500m" }], false],
    ["NodeResourcesFit", [{ cpu: "5" }, { cpu: "4" }], false],
    ["NodePorts", [{}, { labels: { disk: "ssd" } }], false],
  ] as const) {
    const [before, after] = change;
    test(`refused by ${filter}: ${JSON.stringify(before)} → ${JSON.stringify(after)} of a node ${helps ? "helps" : "does not help"}`, () => {
      using given = setup();
      const containers = [{ name: "c", image: "i", resources: { requests: { cpu: "2" } } }];
      given.queue.set(pod("a", { nodeSelector: { disk: "ssd" }, containers }), fresh);
      given.fail(filter);
      given.queue.onEvent({ type: "node-set", node: node("n", after), previous: node("n", before) });
      expect(given.names()).toEqual(helps ? ["a"] : []);
    });
  }

  test("are woken by a new node that would do, and not by another", () => {
    using given = setup();
    given.queue.set(pod("a", { nodeSelector: { disk: "ssd" } }), fresh);
    given.fail("NodeAffinity");
    given.queue.onEvent({ type: "node-set", node: node("n") });
    expect(given.names()).toEqual([]);
    given.queue.onEvent({ type: "node-set", node: node("m", { labels: { disk: "ssd" } }) });
    expect(given.names()).toEqual(["a"]);
  });

  test("are woken by the end of a pod that held their port, and not of another", () => {
    using given = setup();
    const port = (hostPort: number) => ({ name: "c", image: "i", ports: [{ containerPort: 80, hostPort }] });
    given.queue.set(pod("a", { containers: [port(80)] }), fresh);
    given.fail("NodePorts");
    given.queue.onEvent({ type: "pod-removed", pod: pod("x", { containers: [port(81)] }) });
    expect(given.names()).toEqual([]);
    given.queue.onEvent({ type: "pod-removed", pod: pod("y", { containers: [port(80)] }) });
    expect(given.names()).toEqual(["a"]);
  });

  test("are tried again after five minutes, at the next look every thirty seconds, although nothing happened", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.fail("NodeAffinity");
    await given.clock.advance(299_999);
    expect(given.names()).toEqual([]);
    await given.clock.advance(1);
    expect(given.names()).toEqual(["a"]);
  });

  test("are woken by a change of their own, but not by one of their status", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.fail("NodeAffinity");
    await given.clock.advance(2_000);
    given.queue.set(pod("a"), { matters: false });
    expect(given.names()).toEqual([]);
    given.queue.set(pod("a", { nodeSelector: {} }), fresh);
    expect(given.names()).toEqual(["a"]);
  });

  test("are not tried while they are held", () => {
    using given = setup();
    given.queue.set(pod("a", { schedulingGates: [{ name: "g" }] }), fresh);
    expect(given.names()).toEqual([]);
    expect(given.queue.counts).toMatchObject({ gated: 1 });
    given.queue.set(pod("a"), fresh);
    expect(given.names()).toEqual(["a"]);
  });

  test("are forgotten when they are gone", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.queue.set(pod("b"), fresh);
    given.fail("NodePorts");
    for (const name of ["a", "b"]) given.queue.remove(name);
    given.queue.onEvent({ type: "node-set", node: node("n") });
    await given.clock.advance(400_000);
    expect(given.names()).toEqual([]);
    expect(given.queue.has("a")).toBe(false);
  });

  test("whose binding failed come back after their back-off", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    const taken = given.queue.pop();
    if (taken !== undefined) given.queue.retry(taken);
    expect(given.names()).toEqual([]);
    await given.clock.advance(1_000);
    expect(given.names()).toEqual(["a"]);
  });
});
