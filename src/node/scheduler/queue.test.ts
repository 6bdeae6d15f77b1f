import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
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

function setup() {
  const clock = new FakeClock();
  const queue = new SchedulingQueue({ clock, filters: defaultFilters, onReady: () => {} });
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
    expect([1, 2, 3, 4, 5, 60].map(backoffMs)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("are woken by what may help, and not before their back-off is over", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.fail("NodeResourcesFit");
    given.queue.onEvent("node-labels");
    expect(given.queue.counts).toMatchObject({ unschedulable: 1 });
    given.queue.onEvent("pod-removed");
    expect(given.names()).toEqual([]);
    await given.clock.advance(999);
    expect(given.names()).toEqual([]);
    await given.clock.advance(1);
    expect(given.names()).toEqual(["a"]);
  });

  test("are tried at once if their back-off is over when something happens", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.fail("TaintToleration");
    await given.clock.advance(5_000);
    given.queue.onEvent("node-taints");
    expect(given.names()).toEqual(["a"]);
  });

  test("are all woken by a new node", async () => {
    using given = setup();
    given.queue.set(pod("a"), fresh);
    given.fail("NodePorts");
    await given.clock.advance(2_000);
    given.queue.onEvent("node-added");
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

  test("are not tried while they have gates", () => {
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
    given.queue.onEvent("node-added");
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
