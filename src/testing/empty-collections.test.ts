import { expect, test } from "vitest";
import { ConfigMap } from "../api/index.js";
import { FakeClock, type Transport } from "../base/index.js";
import { Client } from "../client/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { startTestServer } from "./cluster.js";
import { emptyCollectionsOf } from "./empty-collections.js";

test("an informer of an empty collection asks the server when the first object comes, and misses nothing", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const asked: string[] = [];
  const direct = server.transport();
  const transport: Transport = (request, signal) => {
    asked.push(request.path);
    return direct(request, signal);
  };
  await using client = new Client({ transport, clock, emptyCollection: emptyCollectionsOf(server) });
  const informers = new SharedInformerFactory(client, { clock });
  const told: string[] = [];
  const informer = informers.informer(ConfigMap);
  informer.addEventHandler((change) => told.push(`${change.type} ${change.object.metadata.name}`));
  await using _running = informers.start();
  await clock.advance(0);
  expect([informer.hasSynced, asked]).toEqual([true, []]);
  const maps = new Client({ transport: direct, clock }).resource(ConfigMap, { namespace: "default" });
  for (const name of ["a", "b"]) await maps.create({ metadata: { name } });
  await maps.delete("a");
  await clock.advance(0);
  expect(told).toEqual(["added a", "added b", "deleted a"]);
  expect(asked).toHaveLength(1);
});

test("an informer of an empty collection stops without an object", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  await using client = new Client({
    transport: server.transport(),
    clock,
    emptyCollection: emptyCollectionsOf(server),
  });
  const informers = new SharedInformerFactory(client, { clock });
  const informer = informers.informer(ConfigMap);
  informers.start();
  await informer.waitForSync({ signal: new AbortController().signal });
  await informers.shutdown();
  expect(informer.isStopped).toBe(true);
});
