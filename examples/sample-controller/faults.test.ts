/** Both styles among faults: whatever fails, once it stops failing every Foo has its one Deployment and the right status. */
import { afterEach, describe, expect, test } from "vitest";
import { Client, controllerOf, Deployment } from "coxswain";
import { CustomResourceDefinition } from "coxswain/api";
import { type HttpRequest, type Running, silentLogger, startRunning } from "coxswain/base";
import { type Fault, type FaultPlan, faultyTransport } from "coxswain/client";
import { fakeEventRecorder } from "coxswain/controller";
import { startApiServer } from "../../src/testing/cluster.js";
import { Foo, fooDefinition } from "./foo.js";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

const styles: Readonly<Record<string, (client: Client, signal: AbortSignal) => Promise<void>>> = {
  "low-level": (client, signal) =>
    runSampleController({ client, recorder: fakeEventRecorder(), log: silentLogger }, signal),
  "high-level": (client, signal) => runSampleManager(client, silentLogger, signal),
};

const isWatch = ({ path }: HttpRequest): boolean => /[?&]watch=(?:true|1)/.test(path);
// events are told on a best-effort basis, and nothing depends on them
const isWrite = ({ method, path }: HttpRequest): boolean => method !== "GET" && !/\/events(?:\/|\?|$)/.test(path);

/** Strikes the first so many requests of each method and address. */
function first(count: number, match: (request: HttpRequest) => boolean, fault: Fault): FaultPlan {
  const struck = new Map<string, number>();
  return (request) => {
    if (!match(request)) return undefined;
    const key = `${request.method} ${request.path.split("?")[0]}`;
    const before = struck.get(key) ?? 0;
    struck.set(key, before + 1);
    return before < count ? fault : undefined;
  };
}

const plans: Readonly<Record<string, () => FaultPlan>> = {
  "every write fails on the server once": () => first(1, isWrite, { type: "answer", code: 500 }),
  "every write meets a conflict twice": () => first(2, isWrite, { type: "answer", code: 409 }),
  "every write is lost on its way once": () => first(1, isWrite, { type: "drop" }),
  "every answer to a write is lost once": () => first(1, isWrite, { type: "lose-answer" }),
  "every write arrives twice": () => first(Infinity, isWrite, { type: "duplicate" }),
  "watches break": () => first(2, isWatch, { type: "reset", afterBytes: 900 }),
  "watches end in the middle of an object": () => first(2, isWatch, { type: "truncate", afterBytes: 900 }),
};

const namespace = "default";
const sizes = { a: 1, b: 2, c: 3 } as const;
const soon = () => ({ signal: AbortSignal.timeout(30_000) });

let lifetimes: AsyncDisposable[] = [];
afterEach(async () => {
  for (const lifetime of lifetimes.reverse()) await lifetime[Symbol.asyncDispose]();
  lifetimes = [];
});

interface World {
  /** Without faults. */
  readonly client: Client;
  /** The controller, on a transport of this plan. */
  start(run: (client: Client, signal: AbortSignal) => Promise<void>, plan?: FaultPlan): Running;
  /** Every Deployment that ever was, by name. */
  readonly created: readonly string[];
}

async function world(): Promise<World> {
  const server = await startApiServer();
  lifetimes.push(server);
  const client = new Client({ transport: server.transport() });
  lifetimes.push(client);
  const crd = fooDefinition();
  await client.resource(CustomResourceDefinition).create(crd);
  const established = (now: CustomResourceDefinition | undefined): boolean =>
    now?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  await client.resource(CustomResourceDefinition).waitFor(crd.metadata, established, soon());
  const created: string[] = [];
  lifetimes.push(
    startRunning(async (signal) => {
      const watch = client.resource(Deployment, { namespace }).watch({ signal });
      for await (const event of watch) if (event.type === "ADDED") created.push(event.object.metadata.name);
    }),
  );
  return {
    client,
    created,
    start(run, plan = () => undefined) {
      const faulty = new Client({ transport: faultyTransport(server.transport(), { plan }) });
      const running = startRunning((signal) => run(faulty, signal));
      lifetimes.push(faulty, running);
      return running;
    },
  };
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
  await expect.poll(() => created.toSorted(), { timeout: 20_000 }).toEqual(all);
}

for (const [style, run] of Object.entries(styles)) {
  describe(`the ${style} sample controller`, () => {
    for (const [when, plan] of Object.entries(plans)) {
      test(`comes to the right end when ${when}`, async () => {
        const around = await world();
        around.start(run, plan());
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
      });
    }

    test("comes to the right end when it dies at any of its writes, before or after it, and is started again", async () => {
      for (let deadly = 0; deadly < 7; deadly++) {
        for (const fate of ["drop", "lose-answer"] as const) {
          const around = await world();
          let writes = 0;
          let died = (): void => {};
          const death = new Promise<void>((resolve) => {
            died = resolve;
          });
          // from the deadly write on nothing gets through any more, as if the process were gone
          const running = around.start(run, (request) => {
            if (writes > deadly) return { type: "drop" };
            if (!isWrite(request) || writes++ < deadly) return undefined;
            died();
            return { type: fate };
          });
          await createFoos(around.client);
          // with three Foos there may be no more than six writes
          if (deadly < 6) await death;
          await running[Symbol.asyncDispose]();
          around.start(run);
          await expectConverged(around);
        }
      }
    });
  });
}
