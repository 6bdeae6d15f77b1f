/** Writes, reads and events of a reconciler that do not do what their author meant: refused at their line, or told in the log. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, Event, Namespace, newControllerRef, Secret } from "../../src/api/index.js";
import { createLogger } from "../../src/base/index.js";
import type { ControllerOptions, ReconcileContext } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

type Reconcile<T> = (context: T) => unknown;

/** Runs the function once for a ConfigMap `default/a`; gives the error that it ended with, and what is left of the world. */
async function reconciled(
  reconcile: Reconcile<ReconcileContext<ConfigMap>>,
  change: Partial<ControllerOptions<ConfigMap>> = {},
  options: Partial<ManagerOptions> = {},
) {
  const cluster = await startCluster({ clock: "virtual" });
  await using _cluster = cluster;
  const { client, clock } = cluster;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line) as (typeof lines)[0]);
  const log = createLogger({ format: "json", clock, write: (line) => void write(line) });
  const manager = await Manager.create({ client, clock, log, ...options });
  const controller = manager.controller<ConfigMap>({
    name: "c",
    for: ConfigMap,
    owns: [Secret, Deployment, Namespace],
    maxFailures: 1,
    predicates: [({ object }) => object.metadata.name === "a"],
    ...change,
    reconcile: async (context) => void (await reconcile(context)),
  });
  await using _running = manager.start();
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" }, data: { key: "1" } });
  await clock.pass(2_000);
  const events = await client.resource(Event, { namespace: "default" }).list();
  return { error: controller.snapshot().deadLetters[0]?.error ?? "no error", lines, events: events.items };
}

const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
} as const;
const hint = "say client.status(Deployment).patch(object, { … })";

describe("the status of a kind with a status subresource, in another write", () => {
  test.each<[string, Reconcile<ReconcileContext<ConfigMap>>]>([
    ["create", ({ client }) => client.create({ ...deployment, status: { replicas: 7 } })],
    ["apply", ({ client }) => client.apply({ ...deployment, status: { replicas: 7 } })],
    [
      "update",
      async ({ client }) => {
        const made = await client.create<Deployment>(deployment);
        await client.update({ ...made, status: { ...made.status, replicas: 7 } });
      },
    ],
    [
      "patch",
      async ({ client }) => {
        const made = await client.create<Deployment>(deployment);
        await client.patch(made, { merge: { status: { replicas: 7 } } });
      },
    ],
    [
      "patch",
      async ({ client }) => {
        const made = await client.create<Deployment>(deployment);
        await client.patch(made, { json: [{ op: "add", path: "/status/replicas", value: 7 }] });
      },
    ],
  ])("%s refuses it, and names the way", async (verb, reconcile) => {
    const { error } = await reconciled(reconcile);
    expect(error).toContain(`${verb} does not write the status of a Deployment`);
    expect(error).toContain(hint);
  });

  test("an object as it was read, or with an empty status, passes", async () => {
    const { error } = await reconciled(async ({ client }) => {
      const made = await client.create({ ...deployment, status: {} });
      await client.status(Deployment).patch(made, { replicas: 3 });
      const now = await client.live(Deployment, deployment.metadata);
      if (now === undefined) throw new Error("it is gone");
      await client.update({ ...now, metadata: { ...now.metadata, labels } });
    });
    expect(error).toBe("no error");
  });
});

describe("an owner that the garbage collector would not find", () => {
  test("in another namespace", async () => {
    const { error } = await reconciled(({ client, object }) =>
      client.apply({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s", namespace: "kube-system", ownerReferences: [newControllerRef(object)] },
      }),
    );
    expect(error).toContain("Secret kube-system/s cannot be owned by ConfigMap default/a of another namespace");
  });

  test("in a namespace, of an object that is in none", async () => {
    const { error } = await reconciled(({ client, object }) =>
      client.create({
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "n", ownerReferences: [newControllerRef(object)] },
      }),
    );
    expect(error).toContain("Namespace n cannot be owned by ConfigMap default/a of another namespace");
  });

  test("in another cluster", async () => {
    await using other = await startCluster({ clock: "virtual" });
    const { error } = await reconciled(
      ({ cluster, object }) =>
        cluster("other").client.apply({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "s", namespace: "default", ownerReferences: [newControllerRef(object)] },
        }),
      {},
      { clusters: { other: other.client } },
    );
    expect(error).toContain("Secret default/s cannot be owned by ConfigMap default/a of another cluster");
  });
});

describe("reads of the cache", () => {
  test.each<[string, Reconcile<ReconcileContext<ConfigMap>>]>([
    ["cache.get takes { namespace, name }, not 'default/a'", ({ cache }) => cache.get(Secret, "default/a" as never)],
    ["cache.get: Secret a needs a namespace", ({ cache }) => cache.get(Secret, { name: "a" })],
    [
      "selector must be one, as parseLabelSelector gives it",
      ({ cache }) => cache.list(Secret, { selector: "a=b" as never }),
    ],
    ["cache.list takes { namespace, selector }", ({ cache }) => cache.list(Secret, { labelSelector: "a=b" } as never)],
    ["cache.list takes { namespace, selector }, not 'default'", ({ cache }) => cache.list(Secret, "default" as never)],
    ["cache.byIndex takes what manager.index gave, not 'name'", ({ cache }) => cache.byIndex("name" as never, "a")],
  ])("%s", async (message, reconcile) => {
    expect((await reconciled(reconcile)).error).toContain(message);
  });
});

describe("objects that cannot be sent", () => {
  test("without apiVersion and kind: the error says so", async () => {
    const { error } = await reconciled(({ client, object }) => client.delete(object.metadata as never));
    expect(error).toBe("the object says no apiVersion and kind, but { apiVersion: undefined, kind: undefined }");
  });

  test("with a NaN, for which a server would take its default: the error names the field", async () => {
    const spec = { ...deployment.spec, replicas: Number.NaN };
    const { error } = await reconciled(({ client }) => client.create({ ...deployment, spec }));
    expect(error).toBe("create deployments.apps in default: spec.replicas is NaN, which is no number in JSON");
  });

  test("with a value that JSON does not have: the error names the request", async () => {
    const data = { a: 5n } as never;
    const { error } = await reconciled(({ client, object }) => client.patch(object, { merge: { data } }));
    expect(error).toContain("patch configmaps default/a: the object cannot be sent as JSON");
  });
});

describe("events", () => {
  test("without an object or a reason: a line in the log, and no event", async () => {
    const { lines, events, error } = await reconciled(({ events: recorder, object }) => {
      recorder.normal(undefined as never, "Made", "it");
      recorder.normal(object, undefined as never, "it");
    });
    expect([error, events]).toEqual(["no error", []]);
    expect(lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
      "no event: the object has no apiVersion and kind to refer to it by",
      "no event: no reason",
    ]);
  });

  test("with an error in the place of the message: its message", async () => {
    const { events } = await reconciled(({ events: recorder, object }) =>
      recorder.warning(object, "Failed", new Error("no space") as never),
    );
    expect(events.map(({ message }) => message)).toEqual(["no space"]);
  });
});

describe("what the server warns of", () => {
  test("a field that it does not know is one line in the log", async () => {
    const { lines } = await reconciled(async ({ client, object }) => {
      for (const value of ["1", "2"]) await client.patch(object, { merge: { dada: { value } } as never });
    });
    expect(lines.filter(({ message }) => message === "the server warns")).toMatchObject([
      { controller: "c", warning: 'unknown field "dada"', request: "patch configmaps default/a" },
    ]);
  });
});

test("a manager without a clock has its client's, so that its timers are the test's", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const manager = await Manager.create({ client });
  let runs = 0;
  manager.controller({
    name: "c",
    for: ConfigMap,
    async reconcile() {
      runs += 1;
      return { requeueAfterMs: 60_000 };
    },
  });
  await using _running = manager.start();
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
  await clock.pass(600_000);
  expect(runs).toBe(11);
});

test("options that are changed after they were given change nothing", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const manager = await Manager.create({ client });
  let runs = 0;
  const options = { name: "c", for: ConfigMap, concurrency: 1, reconcile: async () => void runs++ };
  const controller = manager.controller(options);
  Object.assign(options, { name: "other", concurrency: Number.NaN, reconcile: undefined });
  await using _running = manager.start();
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
  await clock.pass(1_000);
  expect([runs, controller.snapshot().concurrency]).toEqual([1, 1]);
});

test("a manager says what it takes to run", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const newManager = () => new Manager({ client: cluster.client });
  const signal = new AbortController().signal;
  await expect(newManager().run(undefined as never)).rejects.toThrow("manager.run takes { signal }");
  await expect(newManager().run(signal as never)).rejects.toThrow("manager.run takes { signal }");
  expect(() => newManager().start({ signal } as never)).toThrow("is no AbortSignal");
});

test("a test cluster refuses options that cannot be meant", async () => {
  await expect(startCluster({ clock: "fake" as never })).rejects.toThrow(
    `startCluster: clock must be a Clock or "virtual", not 'fake'`,
  );
  await expect(startCluster({ controllers: "*" as never })).rejects.toThrow("controllers must be an array, not '*'");
  await expect(startCluster({ clok: "virtual" } as never)).rejects.toThrow("there is no option clok");
  await expect(startCluster({ nodes: 1, rules: [{}] as never })).rejects.toThrow("a rule is a function, not {}");
});

test("a rule for containers that throws has no say, and the pod tells of it", async () => {
  const rule = (): never => {
    throw new Error("boom");
  };
  await using cluster = await startCluster({ clock: "virtual", nodes: 1, rules: [rule] });
  const { client, clock } = cluster;
  const pods = await client.dynamic("pods", { namespace: "default" });
  await pods.create({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } } as never);
  await clock.pass(30_000);
  expect(await pods.get("p")).toMatchObject({ status: { phase: "Running" } });
  const events = await client.resource(Event, { namespace: "default" }).list();
  expect(events.items.filter(({ reason }) => reason === "BadRule").map(({ message }) => message)).toContain(
    "a rule failed for container c: boom",
  );
});
