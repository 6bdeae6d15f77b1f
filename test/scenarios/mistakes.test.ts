/** Mistakes that authors of controllers make: each is named where it was made, and none is without effect and without a word. */
import { describe, expect, test } from "vitest";
import { ConfigMap, defineResource, Namespace, Secret } from "../../src/api/index.js";
import { Client, connect } from "../../src/client/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import {
  callbackSource,
  type ControllerOptions,
  type Request,
  type Source,
  watch,
} from "../../src/controller/index.js";
import { createLogger } from "../../src/base/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

async function setup() {
  const cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const lines: string[] = [];
  const log = createLogger({ format: "json", clock, write: (line) => void lines.push(line) });
  const manager = await Manager.create({ client, clock, log });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  /** The error lines of a message: the text of the error in each. */
  const errors = (message: string): string[] =>
    lines
      .map((line) => JSON.parse(line) as { readonly message: string; readonly error?: string })
      .filter((line) => line.message === message)
      .map(({ error = "" }) => error);
  return { cluster, client, clock, manager, maps, errors, lines };
}

const complete = { name: "c", for: ConfigMap, reconcile: async () => {} };
/** Options that the compiler would refuse; programs in JavaScript, and spread objects, get past it. */
const wrong = (options: object) => options as unknown as ControllerOptions<ConfigMap>;

describe("options of a controller that cannot be meant are refused when it is added", () => {
  test.each([
    [{ ...complete, name: undefined }, "a controller: name is missing"],
    [{ ...complete, reconcile: undefined }, "controller c: reconcile is missing"],
    [{ ...complete, for: undefined }, "controller c: for is missing"],
    [{ ...complete, for: "ConfigMap" }, "controller c: for must be an object, not 'ConfigMap'"],
    [{ ...complete, for: { kind: "ConfigMap" } }, "controller c: for: { kind: 'ConfigMap' } is no kind; import one"],
    [{ ...complete, owns: ["Secret"] }, "controller c: owns: 'Secret' is no kind; import one"],
    [{ ...complete, owns: Secret }, "controller c: owns must be an array, not {"],
    [{ ...complete, reads: [undefined] }, "controller c: reads: undefined is no kind"],
    [{ ...complete, watches: [Secret] }, "controller c: watches takes watch(Kind, map), not {"],
    [{ ...complete, watches: [watch("Secret" as never, () => [])] }, "controller c: watches: 'Secret' is no kind"],
    [{ ...complete, predicates: () => true }, "controller c: predicates must be an array, not the function predicates"],
    [{ ...complete, concurency: 3 }, "controller c: there is no option concurency; there are name, for, reconcile"],
    [{ ...complete, finalizer: { name: "a.b/c" } }, "controller c: finalizer: run is missing"],
    [
      { ...complete, finalizer: { name: "clean", run: async () => {} } },
      "'clean' needs a domain, as in example.com/clean",
    ],
    [
      { ...complete, finalizer: { name: "no good", run: async () => {} } },
      "controller c: finalizer 'no good': name part",
    ],
    [{ ...complete, cache: { labelSelector: { app: "x" } } }, "the cache of ConfigMap: labelSelector must be a text"],
    [{ ...complete, cache: { labelSelector: "a in (" } }, "the cache of ConfigMap: unable to parse requirement"],
    [{ ...complete, cache: { fieldSelector: "metadata.name" } }, "the cache of ConfigMap: invalid selector"],
    [{ ...complete, cache: { namespaces: [] } }, "the cache of ConfigMap: namespaces is empty"],
    [{ ...complete, cache: { namespace: "default" } }, "the cache of ConfigMap: there is no option namespace"],
  ])("%j", async (options, message) => {
    const { cluster, manager } = await setup();
    await using _cluster = cluster;
    expect(() => manager.controller(wrong(options))).toThrow(message);
    expect(manager.controllers).toEqual([]);
  });
});

describe("options of a manager that cannot be meant are refused when it is made", () => {
  test.each([
    [{}, "manager: client is missing"],
    [{ client: {} }, "manager: client is no client; connect(…) gives one"],
    [{ client: Promise.resolve() }, "manager: client is a promise: write await connect(…)"],
    [{ namespaces: "default" }, "manager: namespaces must be an array, not 'default'"],
    [{ namespaces: [] }, "namespaces is empty, so nothing would be seen; for all namespaces, leave it out"],
    [{ namespaces: ["My_Space"] }, "namespaces: 'My_Space' names none: a lowercase RFC 1123 label"],
    [{ resync: 5 }, "manager: there is no option resync; there are client, clusters"],
    [{ leaderElection: { lease: { name: "a" } } }, "manager: lease: namespace is missing"],
    [{ leaderElection: {} }, "manager: lease: undefined is no object of options"],
    [{ events: "events.k8s.io" }, "manager: events must be v1 or events.k8s.io/v1, not events.k8s.io"],
    [{ http: 8080 }, "manager: http must be an object, not 8080"],
  ])("%j", async (options, message) => {
    const { cluster, client } = await setup();
    await using _cluster = cluster;
    const all = Object.keys(options).length === 0 ? {} : { client, ...options };
    expect(() => new Manager(all as never)).toThrow(message);
  });
});

describe("requests that name no object", () => {
  const woken = async (requests: unknown) => {
    const { cluster, manager, client, clock, errors } = await setup();
    await using _cluster = cluster;
    manager.controller({ ...complete, watches: [watch(Secret, () => requests as Request[])] });
    await using _running = manager.start();
    await client.resource(Secret, { namespace: "default" }).create({ metadata: { name: "s" } });
    await clock.pass(1_000);
    return errors("event handler failed");
  };

  test.each([
    [
      "a promise",
      Promise.resolve([]),
      "the function of watch(Secret, …) must return requests, as in [{ namespace, name }], not Promise { [] }; it cannot wait",
    ],
    [
      "nothing",
      undefined,
      "the function of watch(Secret, …) must return requests, as in [{ namespace, name }], not undefined",
    ],
    ["a key", "default/a", "must return requests, as in [{ namespace, name }], not 'default/a'"],
    ["keys", ["default/a"], "'default/a' is no request: it reads { namespace, name }"],
    ["a name alone", [{ name: "a" }], "{ name: 'a' } is no request for a ConfigMap, which is in a namespace"],
    ["a key as the name", [{ namespace: "default", name: "default/a" }], "is no request"],
  ])("%s from the function of a watch is an error in the log", async (_, requests, message) => {
    expect(await woken(requests)).toEqual([expect.stringContaining(message)]);
  });

  test("of a kind without namespaces the namespace does not matter", async () => {
    const { cluster, manager, client, clock } = await setup();
    await using _cluster = cluster;
    const ran: string[] = [];
    manager.controller({
      name: "c",
      for: Namespace,
      watches: [watch(Secret, () => [{ namespace: "elsewhere", name: "default" }])],
      predicates: [() => false],
      reconcile: async ({ object }) => void ran.push(object.metadata.name),
    });
    await using _running = manager.start();
    await client.resource(Secret, { namespace: "default" }).create({ metadata: { name: "s" } });
    await clock.pass(1_000);
    expect(ran).toEqual(["default"]);
  });

  test("a source that names none fails, and is started again without the bad request", async () => {
    const { cluster, manager, maps, clock, errors } = await setup();
    await using _cluster = cluster;
    const source = callbackSource("calls");
    source.wake("default/a" as never);
    const ran: string[] = [];
    manager.controller({
      ...complete,
      predicates: [() => false],
      sources: [source as Source],
      reconcile: async ({ request }) => void ran.push(request.name),
    });
    await using _running = manager.start();
    await maps.create({ metadata: { name: "a" } });
    await clock.pass(10_000);
    expect(errors("a source failed and will be started again")).toEqual([
      "'default/a' is no request: it reads { namespace, name }",
    ]);
    source.wake({ namespace: "default", name: "a" });
    await clock.pass(1_000);
    expect(ran).toEqual(["a"]);
    expect(() => source.wake({ name: "a" })).toThrow("is no request for a ConfigMap");
  });

  test("controller.enqueue throws at its caller", async () => {
    const { cluster, manager } = await setup();
    await using _cluster = cluster;
    const controller = manager.controller(complete);
    expect(() => controller.enqueue("default/a" as never)).toThrow("'default/a' is no request");
    await using _running = manager.start();
  });
});

describe("functions of an author that throw", () => {
  const reconciled = async (options: Partial<ControllerOptions<ConfigMap>>) => {
    const { cluster, manager, maps, clock, errors } = await setup();
    await using _cluster = cluster;
    let runs = 0;
    manager.controller({ ...complete, ...options, reconcile: async () => void runs++ });
    await using _running = manager.start();
    await maps.create({ metadata: { name: "a" } });
    await clock.pass(1_000);
    return { runs, errors };
  };
  const boom = (): never => {
    throw new Error("boom");
  };

  test("a predicate: the change counts", async () => {
    const { runs, errors } = await reconciled({ predicates: [boom] });
    expect([runs, errors("a predicate failed, and the change counts")]).toEqual([1, ["boom"]]);
  });

  test("the predicate of a watch: the change counts", async () => {
    const map = () => [{ namespace: "default", name: "a" }];
    const { runs, errors } = await reconciled({
      predicates: [() => false],
      watches: [watch(ConfigMap, map, { predicate: boom })],
    });
    expect([runs, errors("a predicate failed, and the change counts")]).toEqual([1, ["boom"]]);
  });

  test("fairBy: the key runs", async () => {
    const { runs, errors } = await reconciled({ fairBy: boom });
    expect([runs, errors("fairBy failed, and the key waits in a group with others like it")]).toEqual([1, ["boom"]]);
  });
});

describe("results of a reconciler", () => {
  test.each([
    [
      "of controller-runtime",
      { requeue: true },
      "{ requeue: true } is no result: return { requeueAfterMs } or nothing",
    ],
    ["with another unit", { requeueAfter: 1000 }, "{ requeueAfter: 1000 } is no result"],
    ["a time", new Date(0), "1970-01-01T00:00:00.000Z is no result"],
    ["a list", [1], "[ 1 ] is no result"],
    [
      "an object of the cluster",
      { apiVersion: "v1", kind: "Secret" },
      "{ apiVersion: 'v1', kind: 'Secret' } is no result",
    ],
  ])("%s: an error that names controller and key", async (_, result, message) => {
    const { cluster, manager, maps, clock } = await setup();
    await using _cluster = cluster;
    const controller = manager.controller(wrong({ ...complete, maxFailures: 1, reconcile: async () => result }));
    await using _running = manager.start();
    await maps.create({ metadata: { name: "a" } });
    await clock.pass(1_000);
    expect(controller.snapshot().deadLetters).toMatchObject([
      { key: "default/a", error: expect.stringContaining(`controller c returned for default/a: ${message}`) },
    ]);
  });

  test.each([
    [undefined, "undefined was thrown"],
    [{ code: 5 }, "{ code: 5 } was thrown"],
  ])("%j, thrown: the log says so", async (thrown, message) => {
    const { cluster, manager, maps, clock, errors } = await setup();
    await using _cluster = cluster;
    manager.controller({ ...complete, maxFailures: 1, reconcile: () => Promise.reject(thrown) });
    await using _running = manager.start();
    await maps.create({ metadata: { name: "a" } });
    await clock.pass(1_000);
    expect(errors("reconcile failed")).toEqual([message]);
  });
});

describe("mistakes at the client", () => {
  test("the name of a kind in the place of the kind", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client } = cluster;
    expect(() => client.resource("pods" as never)).toThrow("client.resource: 'pods' is no kind; import one from");
    expect(() => new SharedInformerFactory(client).informer("pods" as never)).toThrow("factory.informer: 'pods' is no");
    expect(() => new Client({} as never)).toThrow("client: transport is missing; connect(…) makes a client");
  });

  test("a misspelt kubeconfig does not connect to another cluster", async () => {
    await expect(connect("file" as never)).rejects.toThrow(`connect takes options, as in { kubeconfig: "path" }`);
    await expect(connect({ kubeConfig: "file" } as never)).rejects.toThrow(
      "connect: there is no option kubeConfig; it is written kubeconfig",
    );
  });

  test("a kind whose scope or plural no server takes", () => {
    const names = { group: "example.com", version: "v1", kind: "Foo", plural: "foos", scope: "Namespaced" } as const;
    expect(() => defineResource({ ...names, scope: "namespaced" as never })).toThrow(
      "defineResource Foo: scope must be Namespaced or Cluster, not 'namespaced'",
    );
    expect(() => defineResource({ ...names, plural: "Foos" })).toThrow("defineResource Foo: plural 'Foos': a DNS-1035");
  });
});
