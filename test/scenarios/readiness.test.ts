/** The reports of a manager that cannot do its work: in its probe, its metrics, its log and its journal. */
import { describe, expect, test } from "vitest";
import { ConfigMap, newForbidden, Secret } from "../../src/api/index.js";
import { createLogger, type Transport } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import type { ControllerOptions } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

/** A manager whose requests of these methods and paths are refused while `refused.now` is set. */
async function setup(
  change: Partial<ControllerOptions<ConfigMap>>,
  options: Partial<ManagerOptions> & {
    readonly refuse?: (method: string, path: string) => boolean;
    readonly why?: string;
  } = {},
) {
  const { refuse = () => false, why = 'User "u" cannot do resource "r" in API group ""', ...rest } = options;
  const cluster = await startCluster({ clock: "virtual" });
  const { server, clock } = cluster;
  const refused = { now: true };
  const transport: Transport = async (request, signal) => {
    if (!refused.now || !refuse(request.method, request.path)) return server.transport()(request, signal);
    const { status } = newForbidden({ group: "", resource: "r" }, "", why);
    const headers = { "content-type": "application/json" };
    return { status: 403, headers, body: new TextEncoder().encode(JSON.stringify(status)) };
  };
  const lines: string[] = [];
  const log = createLogger({ clock, write: (line) => void lines.push(line) });
  const manager = await Manager.create({ client: new Client({ transport, clock }), clock, log, ...rest });
  manager.controller<ConfigMap>({ name: "c", for: ConfigMap, owns: [Secret], reconcile: async () => {}, ...change });
  const maps = cluster.client.resource(ConfigMap, { namespace: "default" });
  await maps.create({ metadata: { name: "a" } });
  return { cluster, clock, manager, maps, refused, lines };
}

const secretFor = ({ metadata: { name, namespace = "" } }: ConfigMap) =>
  ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } }) as const;

describe("a permission that is missing is a reason not to be ready, with its rule, and a metric, until it is there", () => {
  test("for the candidate of a coordinated election; and a server that has none says so", async () => {
    const leaderElection = {
      lease: { namespace: "kube-system", name: "mine" },
      coordinated: { binaryVersion: "1.0.0" },
    };
    const refuse = (_: string, path: string) => path.includes("/leasecandidates");
    const { cluster, clock, manager, refused } = await setup({}, { leaderElection, refuse });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(10_000);
    const verbs = ["create", "delete", "get", "update"];
    const rule = { apiGroups: ["coordination.k8s.io"], resources: ["leasecandidates"], verbs };
    expect(manager.clusterRole("mine").rules).toContainEqual(rule);
    expect(manager.problems()).toEqual([
      expect.stringContaining(
        `no candidate for the lease kube-system/mine can be kept; missing RBAC rule: ${JSON.stringify(rule)}`,
      ),
    ]);
    const missing =
      'coxswain_missing_permissions{verb="update",group="coordination.k8s.io",resource="leasecandidates"}';
    expect(manager.metrics.expose()).toContain(`${missing} 1`);
    refused.now = false;
    await clock.pass(10_000);
    expect(manager.problems()).toEqual([expect.stringContaining("feature gate CoordinatedLeaderElection")]);
    expect(manager.metrics.expose()).toContain(`${missing} 0`);
  });

  test("for the lease", async () => {
    const lease = { namespace: "kube-system", name: "mine" };
    const refuse = (_: string, path: string) => path.includes("/leases");
    const { cluster, clock, manager, refused } = await setup({}, { leaderElection: { lease }, refuse });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(10_000);
    expect(manager.problems()).toEqual([expect.stringContaining("the lease kube-system/mine cannot be acquired")]);
    expect(manager.problems()[0]).toContain(
      'missing RBAC rule: {"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["create","get","update"]}',
    );
    const failing = 'coxswain_lease_failing{name="mine"}';
    const missing = 'coxswain_missing_permissions{verb="update",group="coordination.k8s.io",resource="leases"}';
    expect(manager.metrics.expose()).toContain(`${failing} 1`);
    expect(manager.metrics.expose()).toContain(`${missing} 1`);
    refused.now = false;
    await clock.pass(30_000);
    expect(manager.problems()).toEqual([]);
    expect(manager.metrics.expose()).toContain(`${failing} 0`);
    expect(manager.metrics.expose()).toContain(`${missing} 0`);
  });

  test.each([
    ["v1", ""],
    ["events.k8s.io/v1", "events.k8s.io"],
  ] as const)("for events of %s", async (api, group) => {
    const { cluster, clock, manager, maps, refused } = await setup(
      { reconcile: async ({ object, events }) => events.normal(object, "Seen", `version ${object.data?.["v"]}`) },
      { events: api, refuse: (method, path) => method === "POST" && path.includes("/events") },
    );
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(10_000);
    const rule = JSON.stringify({ apiGroups: [group], resources: ["events"], verbs: ["create"] });
    expect(manager.problems()).toEqual([
      expect.stringContaining(`the manager is not allowed to create events; missing RBAC rule: ${rule}`),
    ]);
    const missing = `coxswain_missing_permissions{verb="create",group="${group}",resource="events"}`;
    expect(manager.metrics.expose()).toContain(`${missing} 1`);
    refused.now = false;
    await maps.patch("a", { merge: { data: { v: "2" } } });
    await clock.pass(10_000);
    expect(manager.problems()).toEqual([]);
    expect(manager.metrics.expose()).toContain(`${missing} 0`);
  });

  test("for a watch", async () => {
    const refuse = (_: string, path: string) => path.includes("/secrets");
    const { cluster, clock, manager, refused, lines } = await setup({}, { refuse });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(10_000);
    const about = (message: string): number => lines.filter((line) => line.includes(message)).length;
    expect(about("not allowed to list and watch secrets")).toBe(1);
    expect(manager.problems().join()).toContain(
      '{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list","watch"]}',
    );
    const missing = 'coxswain_missing_permissions{verb="watch",group="",resource="secrets"}';
    expect(manager.metrics.expose()).toContain(`${missing} 1`);
    refused.now = false;
    await clock.pass(120_000);
    expect(about("list and watch work again")).toBe(1);
    expect(manager.problems()).toEqual([]);
    expect(manager.metrics.expose()).toContain(`${missing} 0`);
  });

  test.each([
    ["create", "POST", "secrets", "create"],
    ["apply", "PATCH", "secrets", "patch"],
    ["patch", "PATCH", "configmaps", "patch"],
    ["delete", "DELETE", "configmaps", "delete"],
  ] as const)("for the write %s", async (verb, method, resource, missingVerb) => {
    const { cluster, clock, manager, refused } = await setup(
      {
        async reconcile({ object, client }) {
          if (object.metadata.name !== "a") return;
          if (verb === "create") await client.create(secretFor(object));
          if (verb === "apply") await client.apply(secretFor(object));
          if (verb === "patch") await client.patch(object, { merge: { data: { a: "b" } } });
          if (verb === "delete") await client.delete(object);
        },
      },
      { refuse: (asked, path) => asked === method && path.includes(`/${resource}`) },
    );
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(1_000);
    expect(manager.problems()).toEqual([
      expect.stringContaining(
        `controller c is not allowed to ${missingVerb} ${resource}; missing RBAC rule: {"apiGroups":[""],"resources":["${resource}"],"verbs":["${missingVerb}"]}`,
      ),
    ]);
    const missing = `coxswain_missing_permissions{verb="${missingVerb}",group="",resource="${resource}"}`;
    expect(manager.metrics.expose()).toContain(`${missing} 1`);
    refused.now = false;
    await clock.pass(600_000);
    expect(manager.problems()).toEqual([]);
    expect(manager.metrics.expose()).toContain(`${missing} 0`);
  });

  test("but what quotas and admission refuse is none", async () => {
    const { cluster, clock, manager } = await setup(
      { reconcile: async ({ object, client }) => void (await client.apply(secretFor(object))) },
      { refuse: (method) => method === "PATCH", why: "exceeded quota: q, requested: secrets=1" },
    );
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(1_000);
    expect(manager.problems()).toEqual([]);
  });
});

describe("a reconcile that does not heed its signal is told of when its time is over", () => {
  test("in the log, the snapshot, the journal, the metrics and the readiness, until it ends", async () => {
    let end = (): void => {};
    const { cluster, clock, manager, lines } = await setup({
      timeoutMs: 5_000,
      concurrency: 2,
      reconcile: ({ object }) =>
        object.metadata.name === "a" ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve(),
    });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(4_900);
    expect([manager.problems(), manager.controllers[0]?.overdue]).toEqual([[], []]);
    await clock.pass(2_100);
    expect(manager.controllers[0]?.overdue).toMatchObject([
      { key: "default/a", runningMs: expect.any(Number) as number },
    ]);
    expect(manager.problems()).toEqual([
      expect.stringMatching(/controller c is stuck: default\/a has been reconciling for \d s.*1 of 2 workers are held/),
    ]);
    expect(lines.filter((line) => line.includes("a reconcile goes on though its time is over"))).toHaveLength(1);
    expect(manager.explain("default/a")).toContain("still running: its time is over, and it does not heed its signal");
    expect(manager.metrics.expose()).toContain('coxswain_overdue_runs{controller="c"} 1');
    await clock.pass(600_000);
    expect(lines.filter((line) => line.includes("a reconcile goes on though its time is over"))).toHaveLength(1);
    end();
    await clock.pass(1_000);
    expect([manager.problems(), manager.controllers[0]?.overdue]).toEqual([[], []]);
    expect(manager.metrics.expose()).toContain('coxswain_overdue_runs{controller="c"} 0');
    expect(manager.journal.entries({ key: "default/a" }).map(({ result }) => result.type)).toEqual(["overdue", "done"]);
  });

  test("and one that heeds it is only a failure", async () => {
    const { cluster, clock, manager, lines } = await setup({
      timeoutMs: 5_000,
      reconcile: ({ signal, clock: ours }) => ours.sleep(1e9, signal),
    });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(7_000);
    expect(lines.join("")).not.toContain("its time is over");
    expect(manager.journal.entries({ key: "default/a" })[0]?.result.type).toBe("failed");
  });
});

test("what comes too late, twice or to nowhere is refused", async () => {
  const { cluster, manager } = await setup({}, { http: { host: "127.0.0.1", port: 0 } });
  await using _cluster = cluster;
  manager.serve("/a", () => {});
  expect(() => manager.serve("/a", () => {})).toThrow("/a has a handler already");
  expect(() => manager.serve("a", () => {})).toThrow('a path begins with a slash, not "a"');
  expect(() => new Manager({ client: cluster.client }).serve("/a", () => {})).toThrow("the manager has no http option");
  await using _running = manager.start();
  expect(() => manager.serve("/b", () => {})).toThrow("the manager runs already: the handler of /b comes too late");
  expect(() => manager.cache(Secret, {})).toThrow("the manager runs already: the cache of Secret comes too late");
});
