import { afterEach, describe, expect, test } from "vitest";
import { Pod } from "../api/index.js";
import { FakeClock, MetricsRegistry } from "../base/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { startCluster, type TestCluster } from "../testing/cluster.js";
import { lineOf, startSummary } from "./summary.js";

let cluster: TestCluster<FakeClock>;
afterEach(() => cluster?.[Symbol.asyncDispose]());

async function summary(isInteractive: boolean) {
  cluster = await startCluster({ clock: "virtual" });
  const { clock, client } = cluster;
  const metrics = new MetricsRegistry();
  const informers = new SharedInformerFactory(client, { clock });
  informers.informer(Pod);
  const written: string[] = [];
  const terminal = {
    out: (text: string) => void written.push(text),
    err: () => {},
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
    isInteractive,
    columns: () => 60,
  };
  const running = startSummary({ terminal, informers, metrics, deployments: false, clock });
  const create = async (name: string): Promise<void> => {
    await client.resource(Pod).create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
  };
  return { written, running, informers, create, clock };
}

describe("the summary of a cluster", () => {
  test("counts nodes, pods in the order of their lives, and Deployments", () => {
    const pods = { Pending: 2, Running: 30, Terminating: 1 };
    expect(lineOf({ nodes: 3, nodesReady: 2, pods, deployments: { all: 4, available: 3 } })).toBe(
      "nodes 2/3 ready · pods 30 running, 2 pending, 1 terminating · deployments 3/4 available",
    );
    expect(lineOf({ nodes: 0, nodesReady: 0, pods: {} })).toBe("nodes 0/0 ready · pods 0 running");
  });

  test("is rewritten in place on a terminal, no wider than it, and wiped at the end", async () => {
    const { written, running, informers, create, clock } = await summary(true);
    await using _informers = informers.start();
    await create("a");
    await clock.advance(1_000);
    expect(written.at(-1)).toBe("\r\u001b[2Knodes 0/0 ready · pods 0 running, 1 pending · 0 reconciles/s");
    await running[Symbol.asyncDispose]();
    expect(written.at(-1)).toBe("\r\u001b[2K");
  });

  test("is a line when it has changed, where nobody looks on", async () => {
    const { written, running, informers, create, clock } = await summary(false);
    await using _informers = informers.start();
    await clock.advance(30_000);
    expect(written).toEqual([]);
    await create("a");
    await clock.advance(30_000);
    expect(written).toEqual(["nodes 0/0 ready · pods 0 running, 1 pending\n"]);
    await running[Symbol.asyncDispose]();
  });
});
