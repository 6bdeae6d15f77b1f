/** Both styles under faults: once nothing fails any more, every Foo has its one Deployment and the right status. */
import { describe, expect, test } from "vitest";
import { type Client, controllerOf, Deployment } from "coxswain";
import { Event } from "coxswain/api";
import { silentLogger, startRunning } from "coxswain/base";
import {
  dyingAt,
  eventWrites,
  type FaultyWorld,
  faultyWorld,
  type Program,
  readFaults,
  writeFaults,
} from "../testing/faults.js";
import { establish, keep, soon, soonMs } from "../testing/servers.js";
import { deploymentFor } from "./deployment.js";
import { Foo, fooDefinition } from "./foo.js";
import { styles } from "./styles.js";

const namespace = "default";
const sizes = { a: 1, b: 2, c: 3 } as const;

/** The most writes of Events that a Foo may cost: the number that the spam filter lets through at once, for one reporter. */
const eventLimit = 25;

interface World extends FaultyWorld {
  /** Every Deployment that ever was, by name. */
  readonly created: readonly string[];
}

async function world(): Promise<World> {
  const around = await faultyWorld();
  await establish(around.client, fooDefinition());
  const created: string[] = [];
  keep(
    startRunning(async (signal) => {
      const watch = around.client.resource(Deployment, { namespace }).watch({ signal });
      for await (const event of watch) if (event.type === "ADDED") created.push(event.object.metadata.name);
    }),
  );
  return { ...around, created };
}

async function createFoos(client: Client): Promise<void> {
  for (const [name, replicas] of Object.entries(sizes))
    await client
      .resource(Foo, { namespace })
      .create({ metadata: { name }, spec: { deploymentName: `${name}-web`, replicas } });
}

/** Somebody has the pods run; then all Foos must show it, and there must be one Deployment for each and no other. */
async function expectConverged({ client, created }: World, deleted: readonly string[] = []): Promise<void> {
  const deployments = client.resource(Deployment, { namespace });
  for (const [name, replicas] of Object.entries(sizes)) {
    await deployments.waitFor(`${name}-web`, (now) => now?.spec?.replicas === replicas, soon());
    await deployments.status.patch(`${name}-web`, {
      merge: { status: { replicas, readyReplicas: replicas, availableReplicas: replicas } },
    });
    await client
      .resource(Foo, { namespace })
      .waitFor(name, (now) => now?.status?.availableReplicas === replicas, soon());
  }
  const { items } = await deployments.list();
  expect(items.map((item) => [item.metadata.name, controllerOf(item)?.name])).toEqual(
    Object.keys(sizes).map((name) => [`${name}-web`, name]),
  );
  const all = [...Object.keys(sizes).map((name) => `${name}-web`), ...deleted].toSorted();
  await expect.poll(() => created.toSorted(), { timeout: soonMs }).toEqual(all);
}

/** One Event for each thing that there is to say about a Foo, counted up when it is said again, and a bound on the writes for that. */
async function expectNoStorm({ client, requests }: FaultyWorld, { processes = 1 } = {}): Promise<void> {
  const { items } = await client.resource(Event, { namespace }).list();
  const said = items.map(({ involvedObject, reason, message }) => `${involvedObject.name} ${reason} ${message}`);
  // a new process knows nothing of the events of the one before it
  for (const line of new Set(said))
    expect(said.filter((other) => other === line).length, line).toBeLessThanOrEqual(processes);
  const foos = (await client.resource(Foo, { namespace }).list()).items.length;
  expect(eventWrites(requests).length).toBeLessThanOrEqual(eventLimit * foos * processes);
}

for (const [style, run] of Object.entries(styles)) {
  const program: Program = (client, signal) => run({ client, log: silentLogger }, signal);

  describe(`the ${style} sample controller`, () => {
    for (const [when, wrap] of Object.entries({ ...writeFaults, ...readFaults })) {
      test(`comes to the right end when ${when}, and makes no storm of events`, async () => {
        const around = await world();
        around.start(program, wrap());
        await createFoos(around.client);
        await expectConverged(around);

        const deployments = around.client.resource(Deployment, { namespace });
        const before = await deployments.get("b-web");
        await deployments.patch("a-web", { merge: { spec: { replicas: 9 } } });
        await deployments.delete("b-web");
        await deployments.waitFor(
          "b-web",
          (now) => now !== undefined && now.metadata.uid !== before.metadata.uid,
          soon(),
        );
        await expectConverged(around, ["b-web"]);
        await expectNoStorm(around);
      });
    }

    test("a Foo that fails again and again costs one Event and a bounded number of writes for it", async () => {
      const around = await world();
      const { client, requests } = around;
      const other = await client.resource(Foo, { namespace }).create({ metadata: { name: "other" }, spec: {} });
      const { ownerReferences: _, ...metadata } = deploymentFor({
        ...other,
        spec: { deploymentName: "taken" },
      }).metadata;
      await client.resource(Deployment, { namespace }).create({ ...deploymentFor(other), metadata });
      around.start(program);
      const foos = client.resource(Foo, { namespace });
      await foos.create({ metadata: { name: "late" }, spec: { deploymentName: "taken", replicas: 1 } });
      // every change wakes it anew, besides its own retries
      for (let change = 0; change < 40; change++)
        await foos.patch("late", { merge: { spec: { replicas: 1 + (change % 2) } } });
      const reports = async (): Promise<number> =>
        (await client.resource(Event, { namespace }).list()).items.filter(
          ({ reason }) => reason === "ErrResourceExists",
        ).length;
      await expect.poll(reports, { timeout: soonMs }).toBe(1);
      expect(requests.filter((request) => request.includes("/foos"))).not.toEqual([]);
      await expectNoStorm(around);
    });

    test("comes to the right end when it dies at any of its writes, before or after it, and is started again", async () => {
      for (let deadly = 0; deadly < 7; deadly++) {
        for (const fate of ["drop", "lose-answer"] as const) {
          const around = await world();
          const { wrap, death } = dyingAt(deadly, fate);
          const running = around.start(program, wrap);
          await createFoos(around.client);
          // with three Foos there may be no more than six writes
          if (deadly < 6) await death;
          await running[Symbol.asyncDispose]();
          around.start(program);
          await expectConverged(around);
          await expectNoStorm(around, { processes: 2 });
        }
      }
    });
  });
}
