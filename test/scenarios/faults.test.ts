/** A controller under faults: requests fail or get lost, events come late, processes are killed, and the final state is right. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Event, newControllerRef, Secret } from "../../src/api/index.js";
import { FakeClock, type Random, seededRandom, type Transport } from "../../src/base/index.js";
import { Client, faultyTransport, seededFaults } from "../../src/client/index.js";
import { Manager } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

const finalizer = "example.com/parts";

/** For each word of a ConfigMap's text a Secret; a finalizer sees to it that they go first. */
function managerOf(client: Client, clock: FakeClock, random: Random): Manager {
  const manager = new Manager({ client, clock, random: random.fork("manager"), stopTimeoutMs: 60_000 });
  manager.controller<ConfigMap>({
    name: "parts",
    for: ConfigMap,
    owns: [Secret],
    async reconcile({ object, cache, client: writer }) {
      const { name, namespace = "" } = object.metadata;
      const wanted = wordsOf(object);
      for (const word of wanted) {
        const place = { namespace, name: `${name}-${word}` };
        if (cache.get(Secret, place) !== undefined) continue;
        await writer.create({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { ...place, ownerReferences: [newControllerRef(object)] },
        });
      }
      for (const secret of cache.ownedBy(Secret, object)) {
        if (!wanted.some((word) => secret.metadata.name === `${name}-${word}`)) await writer.delete(secret);
      }
    },
    finalizer: {
      name: finalizer,
      async run({ object, cache, client: writer }) {
        for (const secret of cache.ownedBy(Secret, object)) await writer.delete(secret);
      },
    },
  });
  return manager;
}

const wordsOf = ({ data }: ConfigMap): string[] => (data?.["words"] ?? "").split(" ").filter((word) => word !== "");

async function pass(clock: FakeClock, ms: number, steps = 40): Promise<void> {
  for (let step = 0; step < steps; step++) await clock.advance(ms / steps);
}

/** The actions of users, through a connection that works. */
async function act(random: Random, client: Client): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const name = `m${random.int(3)}`;
  const words = ["a", "b", "c", "d"].filter(() => random.int(2) === 0).join(" ");
  const known = await maps.getOrUndefined(name);
  if (known === undefined) await maps.create({ metadata: { name }, data: { words } });
  else if (random.int(4) === 0) await maps.delete(name);
  else await maps.patch(name, { merge: { data: { words } } });
}

async function expectRight(client: Client, seed: number): Promise<void> {
  const maps = await client.resource(ConfigMap, { namespace: "default" }).list();
  const secrets = await client.resource(Secret, { namespace: "default" }).list();
  const wanted = maps.items.flatMap((map) => wordsOf(map).map((word) => `${map.metadata.name}-${word}`));
  expect(secrets.items.map(({ metadata }) => metadata.name).sort(), `seed ${seed}`).toEqual(wanted.sort());
  for (const { metadata } of maps.items)
    expect([metadata.finalizers, metadata.deletionTimestamp], `seed ${seed}`).toEqual([[finalizer], undefined]);
  const events = await client.resource(Event, { namespace: "default" }).list();
  expect(events.items.length, `seed ${seed}: a storm of events`).toBeLessThan(30);
}

describe("a controller under faults", () => {
  const full = process.env["COXSWAIN_FULL"] === "1";
  const seeds = full ? 300 : 12;

  test(`${seeds} seeds: requests refused, dropped, answered with errors, answers lost, watches cut: the end is right`, async () => {
    let failures = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      const clock = new FakeClock();
      await using server = await startTestServer({ clock, random: random.fork("server") });
      const direct = new Client({ transport: server.transport(), clock });
      let faulty = true;
      const plan = seededFaults({ random: random.fork("faults"), rate: 0.25 });
      const transport = faultyTransport(server.transport(), {
        clock,
        plan: (request, index) => (faulty ? plan(request, index) : undefined),
      });
      const manager = managerOf(new Client({ transport, clock, random: random.fork("client") }), clock, random);
      await using running = manager.start();
      for (let step = 0; step < 15; step++) {
        await act(random, direct);
        await pass(clock, random.int(5_000), 10);
      }
      faulty = false;
      // the longest backoff of a watch, and of a key, must have passed
      await pass(clock, 700_000, 300);
      await expectRight(direct, seed);
      failures += manager.journal.entries().filter(({ result }) => result.type === "failed").length;
      const stopped = running[Symbol.asyncDispose]();
      await pass(clock, 10_000);
      await stopped;
    }
    // faults that no reconcile noticed would prove nothing
    expect(failures).toBeGreaterThan(seeds);
  });

  test("killed between any two writes and started again: no duplicate, no lost finalizer, the right end", async () => {
    for (let crashAt = 0; crashAt <= 12; crashAt++) {
      const clock = new FakeClock();
      await using server = await startTestServer({ clock });
      const direct = new Client({ transport: server.transport(), clock });
      const random = seededRandom(crashAt);
      let writes = 0;
      /** From the crash on nothing leaves the process; half of the time the write itself still landed. */
      const dying: Transport = async (request, signal) => {
        if (request.method === "GET" || request.path.includes("events")) return server.transport()(request, signal);
        writes += 1;
        if (writes > crashAt + 1) throw new Error("this process is dead");
        const response =
          writes <= crashAt || random.int(2) === 0 ? await server.transport()(request, signal) : undefined;
        if (response === undefined || writes > crashAt) throw new Error("this process is dead");
        return response;
      };
      const first = managerOf(new Client({ transport: dying, clock }), clock, random).start();
      const maps = direct.resource(ConfigMap, { namespace: "default" });
      await maps.create({ metadata: { name: "m0" }, data: { words: "a b c" } });
      await pass(clock, 2_000);
      await maps.patch("m0", { merge: { data: { words: "c d" } } });
      await pass(clock, 2_000);
      await maps.create({ metadata: { name: "m1" }, data: { words: "x" } });
      await maps.delete("m1");
      await pass(clock, 2_000);
      const killed = first[Symbol.asyncDispose]();
      await pass(clock, 60_000);
      await killed;
      const second = managerOf(new Client({ transport: server.transport(), clock }), clock, random).start();
      await pass(clock, 20_000);
      await expectRight(direct, crashAt);
      const stopped = second[Symbol.asyncDispose]();
      await pass(clock, 10_000);
      await stopped;
    }
  });
});
