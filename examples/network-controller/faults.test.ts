/**
 * The controller under faults: every Network gets its one VLAN, overlapping ones wait, and VLANs of deleted ones are
 * released.
 */
import { describe, expect, test } from "vitest";
import { EventBroadcaster } from "coxswain";
import { Event } from "coxswain/api";
import { silentLogger } from "coxswain/base";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import {
  dyingAt,
  eventWrites,
  type FaultyWorld,
  faultyWorld,
  type Program,
  readFaults,
  writeFaults,
} from "../testing/faults.js";
import { establish, soon, soonMs } from "../testing/servers.js";
import { runNetworkController } from "./controller.js";
import { Fabric } from "./fabric.js";
import { Network, networkDefinition } from "./network.js";

const namespace = "default";
const specs = {
  a: { cidr: "10.0.0.0/16", gateway: "10.0.0.1" },
  b: { cidr: "10.0.7.0/24", gateway: "10.0.7.1" },
  c: { cidr: "10.1.0.0/16", gateway: "10.1.0.1" },
} as const;

/** The number of events about one Network that the spam filter lets through at once. */
const eventLimit = 25;

/** With a fabric of its own: that of a process that died is lost with it. */
function programOn(fabric: Fabric): Program {
  return async (client, signal) => {
    const broadcaster = new EventBroadcaster();
    await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
    const recorder = broadcaster.newRecorder({ component: "network-controller" });
    await runNetworkController({ client, fabric, recorder, log: silentLogger }, signal);
  };
}

async function world(): Promise<FaultyWorld> {
  const around = await faultyWorld();
  await establish(around.client, networkDefinition());
  return around;
}

async function createNetworks({ client }: FaultyWorld): Promise<void> {
  for (const [name, spec] of Object.entries(specs))
    await client.resource(Network, { namespace }).create({ metadata: { name }, spec });
}

/**
 * First `a` and `b` overlap and one of them waits; when `a` is deleted, `b` takes its place. The devices must equal the
 * status.
 */
async function expectConverged({ client }: FaultyWorld, fabric: Fabric): Promise<void> {
  const networks = client.resource(Network, { namespace });
  const settled = (phase: "Ready" | "Refused") => (now: Network | undefined) => now?.status?.phase === phase;
  await networks.waitFor("c", settled("Ready"), soon());
  await networks.waitFor("a", (now) => now?.status !== undefined, soon());
  await networks.waitFor("b", (now) => now?.status !== undefined, soon());
  const shown = async (): Promise<readonly string[]> =>
    (await networks.list()).items.map(({ status }) => status?.phase ?? "").toSorted();
  await expect.poll(shown, { timeout: soonMs }).toEqual(["Ready", "Ready", "Refused"]);

  await networks.delete("a");
  const b = await networks.waitFor("b", settled("Ready"), soon());
  const c = await networks.get("c");
  expect(new Set([b?.status?.vlan, c.status?.vlan]).size).toBe(2);
  await expect
    .poll(() => ["a", "b", "c"].map((name) => fabric.get(`${namespace}/${name}`)?.vlan), { timeout: soonMs })
    .toEqual([undefined, b?.status?.vlan, c.status?.vlan]);
}

/** Built or refused is said once for each Network, not with every run, and by each process that does it. */
async function expectNoStorm({ client, requests }: FaultyWorld, { processes = 1 } = {}): Promise<void> {
  const { items } = await client.resource(Event, { namespace }).list();
  const said = items.map(({ involvedObject, reason, message }) => `${involvedObject.name} ${reason} ${message}`);
  for (const line of new Set(said))
    expect(said.filter((other) => other === line).length, line).toBeLessThanOrEqual(processes);
  expect(eventWrites(requests).length).toBeLessThanOrEqual(eventLimit * Object.keys(specs).length * processes);
}

describe("the network controller", () => {
  for (const [when, wrap] of Object.entries({ ...writeFaults, ...readFaults })) {
    test(`comes to the right end when ${when}, and makes no storm of events`, async () => {
      const around = await world();
      const fabric = new Fabric();
      around.start(programOn(fabric), wrap());
      await createNetworks(around);
      await expectConverged(around, fabric);
      await expectNoStorm(around);
    });
  }

  test("comes to the right end when it dies at any of its writes, before or after it, and is started again", async () => {
    for (let deadly = 0; deadly < 4; deadly++) {
      for (const fate of ["drop", "lose-answer"] as const) {
        const around = await world();
        const { wrap, death } = dyingAt(deadly, fate);
        const running = around.start(programOn(new Fabric()), wrap);
        await createNetworks(around);
        // three Networks, three writes
        if (deadly < 3) await death;
        await running[Symbol.asyncDispose]();
        const before = (await around.client.resource(Network, { namespace }).list()).items;
        const fabric = new Fabric();
        around.start(programOn(fabric));
        await expectConverged(around, fabric);
        const [c] = before.filter(({ metadata }) => metadata.name === "c");
        if (c?.status?.vlan !== undefined) expect(fabric.get(`${namespace}/c`)?.vlan).toBe(c.status.vlan);
        await expectNoStorm(around, { processes: 2 });
      }
    }
  });
});
