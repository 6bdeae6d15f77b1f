/** The controller on the embedded server in this process and over HTTPS, and on a real one where there is one. */
import { describe, expect, test } from "vitest";
import { type Client, FakeClock } from "coxswain";
import { Namespace } from "coxswain/api";
import { type Running, silentLogger, startRunning } from "coxswain/base";
import { fakeEventRecorder } from "coxswain/controller";
import { establish, keep, ownNamespace, servers, soon, soonMs } from "../testing/servers.js";
import { runNetworkController } from "./controller.js";
import { Fabric } from "./fabric.js";
import { Network, networkDefinition } from "./network.js";

/** A server with the kind and a namespace of the test's own. */
async function prepared(open: () => Promise<Client>): Promise<{ client: Client; namespace: string }> {
  const client = await open();
  const namespace = ownNamespace("networks");
  await establish(client, networkDefinition());
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  return { client, namespace };
}

function run(
  client: Client,
  namespace: string,
  fabric: Fabric,
): { running: Running; clock: FakeClock; lines: readonly string[] } {
  const clock = new FakeClock();
  const recorder = fakeEventRecorder();
  const running = keep(
    startRunning((signal) =>
      runNetworkController({ client, fabric, recorder, log: silentLogger, namespace, clock }, signal),
    ),
  );
  return { running, clock, lines: recorder.lines };
}

function suite(open: () => Promise<Client>): void {
  async function start() {
    const { client, namespace } = await prepared(open);
    const fabric = new Fabric();
    const networks = client.resource(Network, { namespace });
    return { client, namespace, fabric, networks, ...run(client, namespace, fabric) };
  }
  const spec = { cidr: "192.168.0.0/16", gateway: "192.168.0.1" };

  test("builds a segment, shows what it was given, follows changes, and releases it", async () => {
    const { networks, fabric, namespace } = await start();
    await networks.create({ metadata: { name: "a" }, spec });
    const ready = await networks.waitFor("a", (now) => now?.status?.phase === "Ready", soon());
    expect(ready?.status).toEqual({ phase: "Ready", vlan: 1, usableAddresses: 65_533 });

    await networks.patch("a", { merge: { spec: { cidr: "192.168.0.0/24" } } });
    const smaller = await networks.waitFor("a", (now) => now?.status?.usableAddresses === 253, soon());
    expect(smaller?.status?.vlan).toBe(1);
    expect(fabric.get(`${namespace}/a`)?.cidr).toBe("192.168.0.0/24");

    await networks.delete("a");
    await expect.poll(() => fabric.get(`${namespace}/a`), { timeout: soonMs }).toBeUndefined();
  });

  test("refuses what overlaps, until the other is gone", async () => {
    const { networks, namespace, lines } = await start();
    await networks.create({ metadata: { name: "a" }, spec });
    await networks.waitFor("a", (now) => now?.status?.phase === "Ready", soon());
    await networks.create({ metadata: { name: "b" }, spec: { cidr: "192.168.7.0/24", gateway: "192.168.7.1" } });
    const refused = await networks.waitFor("b", (now) => now?.status?.phase === "Refused", soon());
    expect(refused?.status?.message).toBe(`192.168.7.0/24 overlaps 192.168.0.0/16 of ${namespace}/a`);
    await expect.poll(() => lines, { timeout: soonMs }).toContain(`Warning Refused ${refused?.status?.message}`);

    await networks.delete("a");
    const ready = await networks.waitFor("b", (now) => now?.status?.phase === "Ready", soon());
    expect(ready?.status).toEqual({ phase: "Ready", vlan: 1, usableAddresses: 253 });
  });

  test("repairs on resync what the fabric has lost, with the same VLAN, and writes nothing for it", async () => {
    const { networks, fabric, namespace, clock, lines } = await start();
    await networks.create({ metadata: { name: "first" }, spec: { cidr: "10.0.0.0/8", gateway: "10.0.0.1" } });
    await networks.waitFor("first", (now) => now?.status?.phase === "Ready", soon());
    await networks.create({ metadata: { name: "a" }, spec });
    const ready = await networks.waitFor("a", (now) => now?.status?.phase === "Ready", soon());
    expect(ready?.status?.vlan).toBe(2);
    // events come in order: when a later Network is ready, the controller has seen its own writes for these
    await networks.create({ metadata: { name: "later" }, spec: { cidr: "172.16.0.0/12", gateway: "172.16.0.1" } });
    await networks.waitFor("later", (now) => now?.status?.phase === "Ready", soon());

    fabric.remove(`${namespace}/first`);
    const lost = fabric.remove(`${namespace}/a`);
    await expect
      .poll(
        async () => {
          await clock.advance(30_000);
          return fabric.get(`${namespace}/a`);
        },
        { timeout: soonMs },
      )
      .toEqual(lost);
    expect(lines.filter((line) => line === "Normal Built VLAN 2 carries 192.168.0.0/16")).toHaveLength(2);
    expect((await networks.get("a")).metadata.resourceVersion).toBe(ready?.metadata.resourceVersion);
  });

  test("leaves every Network its VLAN when the controller starts again", async () => {
    const { client, networks, namespace, running } = await start();
    await networks.create({ metadata: { name: "z" }, spec });
    await networks.waitFor("z", (now) => now?.status?.vlan === 1, soon());
    await running[Symbol.asyncDispose]();

    await networks.create({ metadata: { name: "a" }, spec: { cidr: "10.0.0.0/8", gateway: "10.0.0.1" } });
    const fabric = new Fabric();
    run(client, namespace, fabric);
    const late = await networks.waitFor("a", (now) => now?.status?.phase === "Ready", soon());
    expect(late?.status?.vlan).toBe(2);
    expect(fabric.get(`${namespace}/z`)?.vlan).toBe(1);
  });

  test("the server refuses a gateway outside of its range, and what is no range", async () => {
    const { networks } = await start();
    const outside = { cidr: "10.0.0.0/24", gateway: "10.0.1.1" };
    await expect(networks.create({ metadata: { name: "a" }, spec: outside })).rejects.toThrow(
      "spec: Invalid value: the gateway must be inside the cidr",
    );
    await expect(networks.create({ metadata: { name: "a" }, spec: { ...outside, cidr: "10/8" } })).rejects.toThrow(
      "must be an IPv4 range of at least four addresses",
    );
  });
}

for (const { where, skip, open } of servers)
  describe.skipIf(skip)(`the network controller on ${where}`, () => suite(open));
