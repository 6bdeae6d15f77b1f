/** Everything public that can be disposed can be closed, by programs that have no `await using`. */
import { expect, test } from "vitest";
import { ConfigMap } from "../../src/api/index.js";
import { Client, defaultUserAgent } from "../../src/client/client.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { Manager } from "../../src/manager/index.js";
import { startSimulatedNodes } from "../../src/machines/index.js";
import { startScheduler } from "../../src/scheduler/index.js";
import { startCluster } from "../../src/testing/cluster.js";

test("a manager's run, a factory's, nodes, a scheduler, a cluster, its server and a client have close()", async () => {
  const cluster = await startCluster({ clock: "virtual" });
  const { client, clock, server } = cluster;
  const running = (await Manager.create({ client, clock })).start();
  const factory = new SharedInformerFactory(client, { clock });
  factory.informer(ConfigMap);
  const informers = factory.start();
  const nodes = startSimulatedNodes({ client, clock });
  const scheduler = startScheduler({ client, clock });
  await clock.pass(1_000);
  // the leak detection of every test reports anything that did not end
  for (const open of [running, informers, nodes, scheduler]) {
    await open.close();
    await open.done;
  }
  await client.close();
  await cluster.close();
  await cluster.close();
  await server.close();
});

test("closing a client ends what it was made with, as disposing does", async () => {
  let closed = 0;
  const transport = () => Promise.reject(new Error("not called"));
  await new Client({ transport, close: async () => void closed++ }).close();
  await new Client({ transport, close: async () => void closed++ })[Symbol.asyncDispose]();
  expect(closed).toBe(2);
});

test.each([
  ["/app/foo-controller.js", "foo-controller"],
  ["C:\\app\\operator.mts", "operator"],
  ["/app/my operator (2).ts", "my-operator-2-"],
  ["", "coxswain"],
  [undefined, "coxswain"],
])("the program %s writes as the field manager %s, unless it names another", (script, manager) => {
  expect(defaultUserAgent(script).split("/")[0]).toBe(manager);
});
