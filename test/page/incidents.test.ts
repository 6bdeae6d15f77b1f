/** Incidents, staged one by one: each cause is found in a browser, by following what the page shows. */
import { afterAll, beforeAll, describe, onTestFinished, test } from "vitest";
import { ConfigMap, Deployment, Lease, Namespace, Pod, ResourceQuota, Secret } from "../../src/api/index.js";
import { Client, connect } from "../../src/client/index.js";
import { type ReconcileContext, watch } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startCluster, startTestServer } from "../../src/testing/index.js";
import { eventually } from "../eventually.js";
import { shown } from "./browser.js";
import { type ControlPlane, startControlPlane } from "./control-plane.js";
import { deployment } from "./deployment.js";
import { describeInBrowser } from "./rig.js";

describeInBrowser("the cause of an incident is found by the page alone", ({ look }) => {
  async function managed(client: Client, options: Partial<ManagerOptions> = {}): Promise<Manager> {
    return new Manager({ client, http: { host: "127.0.0.1", port: 0 }, ...options });
  }

  async function start(manager: Manager): Promise<string> {
    const running = manager.start();
    onTestFinished(() => running.close());
    await eventually("the manager serves its page", () => manager.url !== undefined);
    return `${manager.url}/`;
  }

  async function cluster(): Promise<Client> {
    const started = await startCluster();
    onTestFinished(() => started[Symbol.asyncDispose]());
    return started.client;
  }

  const mapsOf = (client: Client) => client.resource(ConfigMap, { namespace: "default" });

  const paint =
    (colour: string) =>
    async ({ object, client }: ReconcileContext<ConfigMap>): Promise<void> => {
      const { name, namespace = "" } = object.metadata;
      if (name !== "contested") return;
      await client.patch(object, { merge: { metadata: { name, namespace }, data: { colour } } } as never);
    };

  test("1: a hot loop between two controllers, with both writers and the field", async () => {
    const client = await cluster();
    const manager = await managed(client);
    manager.controller({ name: "red", for: ConfigMap, reconcile: paint("red") });
    manager.controller({ name: "blue", for: ConfigMap, reconcile: paint("blue") });
    const tab = await look(await start(manager));
    await mapsOf(client).create({ metadata: { name: "contested" } });
    await shown(tab, '[data-controller="red"] .trouble', "looping");
    await tab.locator('[data-controller="red"] .kind a').click();
    await shown(tab, ".key-row.slowed", "default/contested");
    await shown(tab, ".key-row.slowed", /red.*against.*blue|blue.*against.*red/);
    await shown(tab, ".key-row.slowed", "data.colour");
  });

  test("2: a handler that throws, with its name and error", async () => {
    const client = await cluster();
    const manager = await managed(client);
    manager.controller({
      name: "tidy",
      for: Secret,
      watches: [
        watch(ConfigMap, () => {
          throw new Error("no such tenant");
        }),
      ],
      reconcile: async () => {},
    });
    const tab = await look(await start(manager));
    await mapsOf(client).create({ metadata: { name: "m" } });
    await shown(tab, '[data-lane="v1/configmaps"].bad', "handler tidy threw");
    await shown(tab, '[data-lane="v1/configmaps"] .lane-problem', "no such tenant");
  });

  test("3: a watch that is forbidden, with the missing rule", async () => {
    const server = await startTestServer({ authorization: "RBAC" });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const client = new Client({ transport: server.transport({ username: "mallory", groups: [] }) });
    const manager = await managed(client);
    manager.controller({ name: "secrets", for: Secret, reconcile: async () => {} });
    const tab = await look(await start(manager));
    await shown(tab, '[data-lane="v1/secrets"].bad', "mallory");
    await shown(tab, '[data-lane="v1/secrets"] .lane-problem', "forbidden");
    await shown(tab, ".notices .problem", "missing RBAC rule");
  });

  test("4: a key that always fails, with its error, its failures and the next try", async () => {
    const client = await cluster();
    const manager = await managed(client);
    manager.controller({
      name: "vault",
      for: ConfigMap,
      async reconcile({ object }) {
        if (object.metadata.name === "unlucky") throw new Error("the vault is sealed");
      },
    });
    const tab = await look(await start(manager));
    await mapsOf(client).create({ metadata: { name: "unlucky" } });
    await shown(tab, ".vital.bad", "failing");
    await tab.locator('[data-controller="vault"] .kind a').click();
    await shown(tab, ".key-row.failing", "the vault is sealed");
    await shown(tab, ".key-row.failing .when", /\d+ failure/);
    await tab.locator(".key-row.failing a").click();
    await shown(tab, ".run-details .bad", "the vault is sealed");
  });

  test("6: a full queue behind slow workers, with the key that they work on", async () => {
    const client = await cluster();
    const manager = await managed(client);
    const end = new AbortController();
    manager.controller({
      name: "slow",
      for: ConfigMap,
      concurrency: 1,
      reconcile: ({ signal }) =>
        new Promise<void>((done) => {
          if (end.signal.aborted) done();
          for (const one of [signal, end.signal]) one.addEventListener("abort", () => done(), { once: true });
        }),
    });
    for (let i = 0; i < 30; i++) await mapsOf(client).create({ metadata: { name: `m-${i}` } });
    const tab = await look(await start(manager));
    onTestFinished(() => end.abort());
    await shown(tab, '[data-controller="slow"] .trouble', /\d+ behind 1 busy/);
    await tab.locator('[data-controller="slow"] .kind a').click();
    await tab.locator(".tabs a").filter({ hasText: "running" }).click();
    await shown(tab, ".key-row.running .when", /for \d/);
  });

  test("7: a lost lease, with its taker", async () => {
    const client = await cluster();
    const lease = { namespace: "default", name: "operator" };
    const manager = await managed(client, { leaderElection: { lease, identity: "us", retryPeriodMs: 100 } });
    manager.controller({ name: "idle", for: ConfigMap, reconcile: async () => {} });
    const tab = await look(await start(manager));
    await shown(tab, ".vitals", "leads");
    const leases = client.resource(Lease, { namespace: "default" });
    const renewTime = "2100-01-01T00:00:00.000000Z";
    await leases.patch("operator", {
      merge: { spec: { holderIdentity: "them", renewTime, leaseDurationSeconds: 3_600 } },
    });
    await shown(tab, ".notices .problem", "lost the lease default/operator");
    await shown(tab, ".notices .problem", "them took it");
    await shown(tab, ".notices .note", "them leads");
    await shown(tab, ".vitals", "stands by");
  });

  describe("in the parts of a control plane", () => {
    let plane: ControlPlane;

    beforeAll(async () => {
      plane = await startControlPlane();
    });

    afterAll(() => plane[Symbol.asyncDispose]());

    test("5: a stuck finalizer, with its name", async () => {
      const maps = mapsOf(plane.client);
      await maps.create({ metadata: { name: "stuck", finalizers: ["example.com/never-removed"] } });
      await maps.delete("stuck");
      const tab = await look(`${plane.pageUrl}#/cluster?tab=objects&resource=v1/configmaps`);
      await tab.locator(".table-row a").filter({ hasText: "stuck" }).click();
      await shown(tab, ".problem", "waits until its finalizers are removed: example.com/never-removed");
      await shown(tab, ".changes", "metadata.deletionTimestamp");
      await maps.patch("stuck", { merge: { metadata: { finalizers: null } } } as never);
    });

    test("8: an image that cannot be pulled, with its name", async () => {
      const pods = plane.client.resource(Pod, { namespace: "default" });
      const annotations = { "coxswain.dev/image-pull": "fail" };
      await pods.create({
        metadata: { name: "pull", annotations },
        spec: { containers: [{ name: "c", image: "registry.example/none:1" }] },
      });
      const tab = await look(`${plane.pageUrl}#/cluster`);
      await tab.locator('a.pod.bad[aria-label^="pod default/pull, "]').click();
      await shown(tab, ".subject .state", /ErrImagePull|ImagePullBackOff/);
      await shown(tab, ".story-list", 'image "registry.example/none:1"');
      await pods.delete("pull");
    });

    test("9: pods that cannot be scheduled, with the missing resource", async () => {
      const pods = plane.client.resource(Pod, { namespace: "default" });
      const requests = { cpu: "9999" };
      await pods.create({
        metadata: { name: "stuck" },
        spec: { containers: [{ name: "c", image: "i", resources: { requests } }] },
      });
      const tab = await look(`${plane.pageUrl}#/cluster`);
      await tab.locator('a.pod[aria-label="pod default/stuck, Unschedulable"]').click();
      await shown(tab, ".story-list", "Insufficient cpu");
      await pods.delete("stuck");
    });

    test("10: a webhook that refuses, with its name and its words", async () => {
      const hooks = await connect({ kubeconfig: plane.kubeconfig });
      onTestFinished(() => hooks.close());
      const manager = new Manager({
        client: hooks,
        webhooks: { name: "guard", port: 0, certificates: { secret: { name: "guard", namespace: "default" } } },
      });
      manager.webhook({
        for: Pod,
        objectSelector: { matchLabels: { app: "refused" } },
        validate: () => "no pod after five o'clock",
      });
      const running = manager.start();
      onTestFinished(() => running.close());
      await eventually("the webhook is there", () => manager.problems().length === 0);
      const deployments = plane.client.resource(Deployment, { namespace: "default" });
      await deployments.create(deployment("refused", 1));
      const tab = await look(plane.pageUrl);
      await shown(tab, '[data-controller="replicaset"] .trouble', "failing");
      await tab.locator('[data-controller="replicaset"] .kind a').click();
      await shown(tab, ".key-row.failing", "no pod after five o'clock");
      await shown(tab, ".key-row.failing", "denied the request");
      await tab.goto(`${plane.pageUrl}#/numbers`);
      await shown(tab, '.plot[aria-label="Admission"]', "refuses");
      await deployments.delete("refused");
    });

    test("11: a quota that has no room for pods, told by the Deployment that wants them", async () => {
      const { client } = plane;
      await client.resource(Namespace).create({ metadata: { name: "small" } });
      await client
        .resource(ResourceQuota, { namespace: "small" })
        .create({ metadata: { name: "few" }, spec: { hard: { pods: "1" } } });
      await client.resource(Deployment, { namespace: "small" }).create(deployment("billing", 3));
      const tab = await look(`${plane.pageUrl}#/cluster`);
      await tab.locator("a.rollout").filter({ hasText: "billing" }).click();
      await shown(tab, ".why-board > .problem", /ReplicaFailure.*exceeded quota: few/);
      await client.resource(Namespace).delete("small");
    });

    test("12: a namespace that does not end, told by itself", async () => {
      const { client } = plane;
      await client.resource(Namespace).create({ metadata: { name: "leaving" } });
      const maps = client.resource(ConfigMap, { namespace: "leaving" });
      await maps.create({ metadata: { name: "kept", finalizers: ["backup.example.com/done"] } });
      await client.resource(Namespace).delete("leaving");
      const tab = await look(`${plane.pageUrl}#/why?kind=Namespace&name=leaving`);
      await shown(tab, ".why-board > .problem", "finalizers remaining: backup.example.com/done in 1 resource");
      await maps.patch("kept", { merge: { metadata: { finalizers: null } } } as never);
    });
  });
});
