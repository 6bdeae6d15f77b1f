/** The demonstrations of `npm run example`, each with its controller on a cluster in this process. */
import { type Client, EventBroadcaster } from "coxswain";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { silentLogger, startRunning } from "coxswain/base";
import { startCluster } from "coxswain/testing";
import { expect, test, vi } from "vitest";
import { runNetworkController } from "./network-controller/controller.js";
import { demo as networkDemo } from "./network-controller/demo.js";
import { Fabric } from "./network-controller/fabric.js";
import { demo as watcherDemo } from "./pod-service-watcher/demo.js";
import { watchShared } from "./pod-service-watcher/shared.js";
import { demo as sampleDemo } from "./sample-controller/demo.js";
import { styles } from "./sample-controller/styles.js";

type Run = (client: Client, signal: AbortSignal) => Promise<void>;
type Demo = (client: Client, say: (line: string) => void, signal: AbortSignal) => Promise<void>;

async function linesOf(demo: Demo, run: Run): Promise<readonly string[]> {
  await using cluster = await startCluster({ controllers: ["*"], nodes: 2 });
  await using _controller = startRunning((signal) => run(cluster.client, signal));
  const lines: string[] = [];
  await demo(cluster.client, (line) => lines.push(line), AbortSignal.timeout(120_000));
  return lines;
}

test.each(["low-level", "high-level"] as const)("the sample controller, %s, heals what others break", async (style) => {
  const lines = await linesOf(sampleDemo, (client, signal) => styles[style]({ client, log: silentLogger }, signal));
  expect(lines.at(-1)).toBe("the controller has made it again, and 3 pods are available");
});

test("the network controller builds, refuses and builds what was refused", async () => {
  const lines = await linesOf(networkDemo, async (client, signal) => {
    const broadcaster = new EventBroadcaster({ log: silentLogger });
    await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
    const recorder = broadcaster.newRecorder({ component: "network-controller" });
    await runNetworkController({ client, fabric: new Fabric(), recorder, log: silentLogger, namespace: "" }, signal);
  });
  expect(lines.filter((line) => !line.startsWith("you "))).toEqual([
    "the fabric has built it: VLAN 1, 65533 addresses",
    "it is refused: 192.168.1.0/24 overlaps 192.168.0.0/16 of default/blue",
    "now green has its place: VLAN 1",
    expect.stringContaining("the gateway must be inside the cidr"),
  ]);
});

test("the watcher tells of the pods that come and of the one that goes", async () => {
  const told: string[] = [];
  const count = (pattern: RegExp): number => told.filter((line) => pattern.test(line)).length;
  await linesOf(
    async (client, say, signal) => {
      // pods that are there before the watcher looks are no news to it
      await expect.poll(() => count(/^watching /)).toBe(1);
      await watcherDemo(client, say, signal);
      // of the service's gains it tells only if the service's event comes before the pods', which nothing promises
      await expect.poll(() => count(/^pod default\/web-\S+: added/)).toBe(3);
      await expect.poll(() => count(/^pod default\/web-\S+: deleted/)).toBe(2);
    },
    (client, signal) => watchShared(client, (line) => told.push(line), signal),
  );
});

test.each(["sample-controller", "network-controller", "pod-service-watcher", "site-operator"])(
  "%s understands its command line",
  async (name) => {
    const { main } = (await import(`./${name}/main.ts`)) as { main(args: readonly string[]): Promise<number> };
    const printed: string[] = [];
    using stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => printed.push(String(text)) > 0);
    expect(await main(["--help"])).toBe(0);
    expect(stderr).toHaveBeenCalled();
    expect(printed.join("")).toMatch(/^flags:\n/);
  },
);
