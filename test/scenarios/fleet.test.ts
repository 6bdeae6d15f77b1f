/** Clusters that come and go while a manager runs. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Secret } from "../../src/api/index.js";
import { createLogger, FakeClock, type Transport } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { type Fleet, Manager, type ManagerOptions, secretClusters } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { map, mirror } from "./mirror.js";

/** A hub and three clusters on one virtual clock. */
async function setup(options: Partial<ManagerOptions> = {}) {
  const clock = new FakeClock();
  const servers = await Promise.all(["hub", "west", "east", "north"].map(() => startTestServer({ clock })));
  const [hub, west, east, north] = servers.map((server) => {
    const requests: string[] = [];
    const transport: Transport = (request, signal) => {
      requests.push(`${request.method} ${request.path.split("?")[0]}`);
      return server.transport()(request, signal);
    };
    const client = new Client({ transport, clock });
    return { client, transport, ...resources(client), requests };
  }) as unknown as [Site, Site, Site, Site];
  const lines: string[] = [];
  const log = createLogger({ level: "info", format: "text", write: (line) => void lines.push(line) });
  const manager = new Manager({ client: hub.client, clock, log, ...options });
  const close = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.close())));
  return { clock, manager, hub, west, east, north, lines, [Symbol.asyncDispose]: close };
}

interface Site extends ReturnType<typeof resources> {
  readonly client: Client;
  readonly transport: Transport;
  readonly requests: string[];
}
const resources = (client: Client) => ({
  maps: client.resource(ConfigMap, { namespace: "default" }),
  secrets: client.resource(Secret, { namespace: "default" }),
});

describe("a fleet", () => {
  test("runs its controllers on clusters that were there before it and on those that come, and says where", async () => {
    await using rig = await setup();
    const { clock, manager, west, east, north } = rig;
    const fleet = manager.fleet({ engage: (member) => void member.controller(mirror()) });
    await fleet.add("west", west.client);
    await fleet.add("east", east.client);
    for (const { maps } of [west, east, north]) await maps.create(map("a"));
    await using _running = manager.start();
    await clock.pass(2_000);
    await fleet.add("north", north.client);
    await clock.pass(2_000);
    for (const { secrets } of [west, east, north]) expect((await secrets.get("a")).data).toEqual({ text: btoa("1") });
    expect(fleet.clusters).toEqual(["west", "east", "north"].map((name) => ({ name, problems: [] })));
    expect(manager.explain("north:default/a")).toContain("mirror #");
    expect(manager.metrics.expose()).toMatch(/controller_runtime_reconcile_total\{.*cluster="east"\} \d/);
    expect(manager.metrics.expose().match(/# TYPE controller_runtime_reconcile_total/g)).toHaveLength(1);
    expect(manager.metrics.expose()).toContain('coxswain_fleet_cluster_ready{cluster="west"} 1');
    expect(new Set(manager.memory().caches.map(({ cluster }) => cluster))).toEqual(new Set(["west", "east", "north"]));
  });

  test("waits at a removal until the work has stopped, and asks that cluster nothing afterwards", async () => {
    await using rig = await setup();
    const { clock, manager, west, east } = rig;
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => void (finish = resolve));
    const runs: string[] = [];
    const fleet = manager.fleet({
      engage: (member, { name }) =>
        void member.controller(
          mirror({
            async reconcile({ object, client, log }) {
              runs.push(name);
              if (name === "west") await held;
              await client.patch(object, { merge: { metadata: { labels: { seen: name } } } });
              log.info("patched");
            },
          }),
        ),
    });
    await fleet.add("west", west.client);
    await fleet.add("east", east.client);
    await west.maps.create(map("a"));
    await using _running = manager.start();
    await clock.pass(2_000);
    let isRemoved = false;
    const removing = fleet.remove("west").then(() => void (isRemoved = true));
    await clock.pass(1_000);
    expect([runs, isRemoved]).toEqual([["west"], false]);
    finish();
    await clock.pass(1_000);
    await removing;
    // the run in flight could finish its work
    expect((await west.maps.get("a")).metadata.labels).toEqual({ seen: "west" });
    const asked = west.requests.length;
    await east.maps.create(map("b"));
    await clock.pass(60_000);
    expect(west.requests.slice(asked)).toEqual([]);
    expect([[...new Set(runs)], fleet.clusters.map(({ name }) => name)]).toEqual([["west", "east"], ["east"]]);
    expect(runs.at(-1)).toBe("east");
    expect(manager.metrics.expose()).not.toContain('cluster="west"');
    await fleet.add("west", west.client);
    await clock.pass(2_000);
    expect(runs.at(-1)).toBe("west");
  });

  test("a cluster that does not answer, and one whose controllers cannot be declared, harm no other", async () => {
    await using rig = await setup();
    const { clock, manager, west, lines } = rig;
    const deaf = new Client({ clock, transport: () => Promise.reject(new Error("connect ECONNREFUSED")) });
    const fleet = manager.fleet({
      engage(member, { name }) {
        if (name === "odd") throw new Error("no such region");
        member.controller(mirror());
      },
    });
    await fleet.add("deaf", deaf);
    await fleet.add("odd", rig.east.client);
    await fleet.add("west", west.client);
    await west.maps.create(map("a"));
    await using _running = manager.start();
    await clock.pass(10_000);
    expect((await west.secrets.get("a")).data).toEqual({ text: btoa("1") });
    expect(manager.problems()).toEqual([]);
    const problems = Object.fromEntries(fleet.clusters.map(({ name, problems: [first = ""] }) => [name, first]));
    expect(problems).toEqual({
      deaf: expect.stringContaining("is not filled"),
      odd: "the cluster is not running",
      west: "",
    });
    expect(lines.filter((line) => line.includes("cluster odd failed and is started again")).length).toBeGreaterThan(1);
    expect(manager.metrics.expose()).toContain('coxswain_fleet_cluster_ready{cluster="deaf"} 0');
    await fleet.remove("deaf");
  });

  test("replaces a cluster whose client is new, one after the other", async () => {
    await using rig = await setup();
    const { clock, manager, west, east } = rig;
    const fleet = manager.fleet({ engage: (member) => void member.controller(mirror()) });
    await west.maps.create(map("a"));
    await east.maps.create(map("b"));
    await using _running = manager.start();
    await Promise.all([fleet.add("site", west.client), fleet.add("site", east.client)]);
    const before = west.requests.length;
    await clock.pass(2_000);
    expect((await east.secrets.get("b")).data).toBeDefined();
    expect([west.requests.length, fleet.clusters.map(({ name }) => name)]).toEqual([before, ["site"]]);
    await expect(fleet.add("a:b", west.client)).rejects.toThrow("a cluster's name is made of letters");
  });

  test("works only on the replica that leads, and its clusters can be written to by no other", async () => {
    await using rig = await setup();
    const { clock, hub, west } = rig;
    const replica = (identity: string) => {
      const leaderElection = { lease: { namespace: "default", name: "fleet" }, identity };
      const manager = new Manager({ client: hub.client, clock, leaderElection });
      const runs: string[] = [];
      const fleet = manager.fleet({
        engage: (member) => void member.controller(mirror({ reconcile: async () => void runs.push(identity) })),
      });
      return { manager, fleet, runs };
    };
    const [one, two] = [replica("one"), replica("two")];
    await one.fleet.add("west", west.client);
    await two.fleet.add("west", west.client);
    await west.maps.create(map("a"));
    await using first = one.manager.start();
    await clock.pass(5_000);
    await using _second = two.manager.start();
    await clock.pass(5_000);
    expect([one.runs, two.runs]).toEqual([["one"], []]);
    const shown = "coxswain_fleet_cluster_ready{";
    expect([one, two].map(({ manager }) => manager.metrics.expose().includes(shown))).toEqual([true, false]);
    await first.close();
    await clock.pass(30_000);
    expect(two.runs).toEqual(["two"]);
    expect([one, two].map(({ manager }) => manager.metrics.expose().includes(shown))).toEqual([false, true]);
  });
});

/** Replicas that share the clusters of a fleet; each notes the clusters on which it has reconciled. */
describe("a fleet on several replicas", () => {
  const names = Array.from({ length: 8 }, (_, i) => `site-${i}`);

  async function replicasOf(rig: Awaited<ReturnType<typeof setup>>) {
    const { clock, hub, west } = rig;
    const doubles: string[] = [];
    const underWay = new Set<string>();
    const start = async (identity: string) => {
      const link = { cut: false };
      const transport: Transport = (request, signal) =>
        link.cut ? Promise.reject(new Error("no route")) : hub.transport(request, signal);
      const client = new Client({ transport, clock, retry: { maxRetries: 0 } as object });
      const sharding = { lease: { namespace: "default", name: "fleet" }, shards: 16, identity };
      const manager = new Manager({ client, clock, sharding });
      const ran: string[] = [];
      const fleet = manager.fleet({
        engage: (member, { name }) =>
          void member.controller(
            mirror({
              async reconcile({ object, client: writer, clock: own, signal }) {
                if (underWay.has(name)) doubles.push(name);
                underWay.add(name);
                ran.push(name);
                await own.sleep(50, signal).catch(() => {});
                underWay.delete(name);
                await writer.patch(object, { merge: { metadata: { labels: { [name]: identity } } } });
              },
            }),
          ),
      });
      // one server stands for all of them: every cluster has the same objects
      for (const name of names) await fleet.add(name, west.client);
      return { manager, fleet, ran, link, running: manager.start() };
    };
    return { start, doubles };
  }

  const works = ({ fleet }: { readonly fleet: Fleet }): readonly string[] =>
    fleet.clusters.filter(({ problems }) => problems.length === 0).map(({ name }) => name);

  test("works on each cluster by one of them, and hands over what a new one is to have", async () => {
    await using rig = await setup();
    const { clock, west } = rig;
    const { start, doubles } = await replicasOf(rig);
    await west.maps.create(map("a"));
    const one = await start("one");
    await clock.pass(10_000);
    expect(works(one)).toEqual(names);
    const two = await start("two");
    await clock.pass(30_000);
    expect([...works(one), ...works(two)].toSorted()).toEqual(names);
    expect(Math.min(works(one).length, works(two).length)).toBeGreaterThan(0);
    // a replica tells of its own clusters alone
    const told = (text: string): number => text.match(/coxswain_fleet_cluster_ready\{/g)?.length ?? 0;
    expect([one, two].map(({ manager }) => told(manager.metrics.expose()))).toEqual([
      works(one).length,
      works(two).length,
    ]);
    expect(one.fleet.clusters.find(({ name }) => works(two).includes(name))?.problems).toEqual([
      "the cluster is not running on this replica",
    ]);
    const stopped = one.running.close();
    await clock.pass(30_000);
    await stopped;
    expect(works(two)).toEqual(names);
    expect([doubles, new Set([...one.ran, ...two.ran])]).toEqual([[], new Set(names)]);
    const ended = two.running.close();
    await clock.pass(30_000);
    await ended;
  });

  test("takes over the clusters of a replica that is cut off from the hub, whose writes reach none of them", async () => {
    await using rig = await setup();
    const { clock, west } = rig;
    const { start, doubles } = await replicasOf(rig);
    const [one, two] = [await start("one"), await start("two")];
    await clock.pass(40_000);
    const before = works(one);
    expect([before.length > 0, works(two).length > 0]).toEqual([true, true]);
    one.link.cut = true;
    await clock.pass(13_000);
    expect(works(one)).toEqual([]);
    const asked = one.ran.length;
    await west.maps.create(map("b"));
    await clock.pass(30_000);
    expect([works(one), works(two), one.ran.length, doubles]).toEqual([[], names, asked, []]);
    expect((await west.maps.get("b")).metadata.labels).toEqual(Object.fromEntries(names.map((name) => [name, "two"])));
    one.link.cut = false;
    await clock.pass(40_000);
    expect([...works(one), ...works(two)].toSorted()).toEqual(names);
    const ended = [one, two].map(({ running }) => running.close());
    await clock.pass(40_000);
    await Promise.all(ended);
  });
});

describe("clusters from Secrets", () => {
  const kubeconfig = (server: string, user: object = { token: "t" }) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user }],
    });
  const secret = (name: string, text: string): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default", labels: { cluster: "true" } },
    data: { kubeconfig: Buffer.from(text).toString("base64") },
  });

  test("come, change and go with them", async () => {
    await using rig = await setup();
    const { clock, manager, hub, west, east, lines } = rig;
    const closed: string[] = [];
    const sites: Readonly<Record<string, Client>> = { "https://west": west.client, "https://east": east.client };
    const provider = secretClusters({
      client: hub.client,
      namespace: "default",
      labelSelector: "cluster=true",
      log: createLogger({ level: "info", format: "text", write: (line) => void lines.push(line) }),
      connect: async ({ clusters }, name) => {
        const server = clusters[0]?.value.server ?? "";
        const to = (sites[server] as Client).through((transport) => transport);
        to.close = async () => void closed.push(`${name} ${server}`);
        return to;
      },
    });
    const fleet = manager.fleet({ provider, engage: (member) => void member.controller(mirror()) });
    await hub.secrets.create(secret("one", kubeconfig("https://west")));
    await hub.secrets.create({ ...secret("other", ""), metadata: { name: "other", namespace: "default" } });
    await west.maps.create(map("a"));
    await east.maps.create(map("b"));
    const running = manager.start();
    await clock.pass(3_000);
    expect((await west.secrets.get("a")).data).toBeDefined();
    await hub.secrets.patch("one", { merge: secret("one", kubeconfig("https://east")) });
    await clock.pass(3_000);
    expect((await east.secrets.get("b")).data).toBeDefined();
    expect(closed).toEqual(["one https://west"]);
    const runs = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "sh" } };
    await hub.secrets.create(secret("two", kubeconfig("https://west", runs)));
    await clock.pass(3_000);
    expect(fleet.clusters.map(({ name }) => name)).toEqual(["one"]);
    expect(lines.join("")).toContain("user u runs a command for its credentials");
    await hub.secrets.delete("one");
    await clock.pass(3_000);
    expect([fleet.clusters, closed]).toEqual([[], ["one https://west", "one https://east"]]);
    await running.close();
  });
});
