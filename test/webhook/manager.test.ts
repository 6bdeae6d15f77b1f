import { describe, expect, onTestFinished, test } from "vitest";
import {
  ConfigMap,
  crdOf,
  CustomResourceDefinition,
  Pod,
  ValidatingWebhookConfiguration,
} from "../../src/api/index.js";
import { Client, connect, installDefinition } from "../../src/client/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { fooKinds, fooManager } from "./foo.js";

const { Foo, FooV1alpha1 } = fooKinds("hooks.example.com");

async function embedded(): Promise<Client> {
  const cluster = await startCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  return cluster.client;
}

async function real(): Promise<Client> {
  const { kubeconfig } = await realCluster();
  const client = await connect({ kubeconfig });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

const draft = (name: string, replicas: number): Parameters<ReturnType<Client["resource"]>["create"]>[0] =>
  ({ metadata: { name, namespace: "default" }, spec: { replicas } }) as never;

async function running(client: Client): Promise<void> {
  await installDefinition(client, crdOf(Foo));
  const manager = fooManager(client, Foo);
  const run = manager.start();
  onTestFinished(() => run.close());
  await eventually("the manager is ready", () => manager.problems().length === 0);
}

const refusal = (writing: Promise<unknown>): Promise<{ code: number; message: string; causes?: unknown }> =>
  writing.then(
    () => ({ code: 200, message: "" }),
    (error: { status: { code: number; message: string; details?: { causes?: unknown } } }) => ({
      code: error.status.code,
      message: error.status.message,
      ...(error.status.details?.causes === undefined ? {} : { causes: error.status.details.causes }),
    }),
  );

const by = 'admission webhook "validate.foos.hooks.example.com" denied the request: ';

describe.each([
  ["the embedded server", embedded, true],
  ["a real kube-apiserver", real, hasRealCluster()],
] as const)("webhooks of a manager, called by %s", (_, start, available) => {
  test.skipIf(!available)(
    "convert, fill in, judge and warn",
    async () => {
      const client = await start();
      await running(client);
      const warnings: string[] = [];
      const foos = client.through((transport) => transport, { onWarning: (text) => warnings.push(text) }).resource(Foo);
      const old = client.resource(FooV1alpha1);
      // configurations reach a real server's admission a moment after they are written
      await eventually("the webhook is asked", async () => {
        const { code } = await refusal(foos.create(draft("probe", 11) as never, { dryRun: true }));
        return code === 422;
      });

      const made = await old.create({
        metadata: { name: "a", namespace: "default" },
        spec: { size: "2", colour: "r,g" },
      });
      expect(made).toMatchObject({ apiVersion: "hooks.example.com/v1alpha1", spec: { size: "2", image: "app:1" } });
      expect((await foos.get({ name: "a", namespace: "default" })).spec).toEqual({
        replicas: 2,
        image: "app:1",
        colours: ["r", "g"],
      });
      const { items } = await old.list();
      expect(items.map(({ spec }) => spec.size)).toEqual(["2"]);

      expect(await refusal(foos.create(draft("b", 11) as never))).toEqual({
        code: 422,
        message: `${by}Foo.hooks.example.com "b" is invalid: spec.replicas: Invalid value: 11: at most 10`,
        causes: [{ reason: "FieldValueInvalid", field: "spec.replicas", message: "Invalid value: 11: at most 10" }],
      });
      const current = await foos.get({ name: "a", namespace: "default" });
      expect(await refusal(foos.update({ ...current, spec: { ...current.spec, replicas: 1 } }))).toMatchObject({
        code: 422,
        message: `${by}Foo.hooks.example.com "a" is invalid: spec.replicas: may not shrink from 2`,
      });
      await foos.create(draft("empty", 0) as never);
      expect(warnings).toEqual(["nothing will run"]);
      expect(await refusal(foos.create(draft("asked", 1) as never, { dryRun: true }))).toMatchObject({
        code: 403,
        message: `${by}foos.hooks.example.com "asked" is forbidden: somebody asks, dry run: true`,
      });
      await foos.create(draft("large", 6) as never);
      expect(await refusal(foos.delete({ name: "large", namespace: "default" }))).toMatchObject({
        code: 403,
        message: `${by}foos.hooks.example.com "large" is forbidden: too large to be deleted`,
      });
      await foos.delete({ name: "empty", namespace: "default" });

      expect(await refusal(foos.create(draft("thrown", 1) as never))).toMatchObject({
        code: 500,
        message: `${by}validate of Foo failed: no database`,
      });
      const changed = await refusal(foos.create(draft("changed", 1) as never));
      expect(changed.message).toMatch(
        /^admission webhook .*: validate of Foo failed: Cannot assign to read only property/,
      );
      for (const name of ["slow", "hung"])
        expect(await refusal(foos.create(draft(name, 1) as never))).toMatchObject({
          code: 500,
          message: `${by}validate of Foo failed: no answer within 1800 ms`,
        });
    },
    120_000,
  );
});

test("mistakes of the author are named when the webhook is added", async () => {
  const client = await embedded();
  const webhooks = { name: "x", certificates: { secret: { name: "x", namespace: "default" } } };
  const manager = new Manager({ client, webhooks });
  const add = (options: object) => () => manager.webhook(options as never);
  expect(add({ for: "Pod", validate: () => {} })).toThrow("a webhook: for must be an object, not 'Pod'");
  expect(add({ for: Pod })).toThrow("webhook of Pod: it does nothing; give validate, validateDelete, default or warn");
  expect(add({ for: Pod, validte: () => {} })).toThrow("webhook of Pod: there is no option validte");
  expect(add({ for: Pod, warn: () => {}, timeoutSeconds: 60 })).toThrow("webhook of Pod: timeoutSeconds");
  expect(add({ for: Pod, warn: () => {}, operations: ["DELETE"] })).toThrow("validateDelete sees deletions");
  expect(add({ for: Pod, warn: () => {}, failurePolicy: "ignore" })).toThrow("failurePolicy is Fail or Ignore");
  manager.webhook({ for: Pod, warn: () => "x" });
  expect(add({ for: Pod, validate: () => "x" })).toThrow(
    "there is already a webhook of Pod at /validate/core/v1/pods: give one of them a name",
  );
  const without = new Manager({ client });
  expect(() => without.webhook({ for: Pod, warn: () => "x" })).toThrow("the manager has no webhooks option");
  expect(() => new Manager({ client, webhooks: { name: "x", certificates: {} } as never })).toThrow(
    "manager: webhooks: certificates takes either secret or directory",
  );
});

test("a definition that is missing is named, and the webhooks are in order when it comes", async () => {
  const client = await embedded();
  const manager = fooManager(client, Foo);
  const run = manager.start();
  onTestFinished(() => run.close());
  await eventually("the problem is told", () =>
    manager
      .problems()
      .includes(
        "the webhooks are not in order: there is no definition foos.hooks.example.com; installDefinition(client, crdOf(Foo)) makes it",
      ),
  );
  const configuration = await client.resource(ValidatingWebhookConfiguration).get("hooks.example.com");
  expect(configuration.webhooks?.map(({ name }) => name)).toEqual(["validate.foos.hooks.example.com"]);
  expect(manager.clusterRole("x").rules?.filter(({ apiGroups }) => apiGroups?.[0] === "")).toContainEqual({
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: ["hooks.example.com"],
    verbs: ["get", "update"],
  });
});

test("a replica is ready for reviews while the kind that it converts still waits for them", async () => {
  const client = await embedded();
  await installDefinition(client, crdOf(FooV1alpha1));
  await client.resource(FooV1alpha1, { namespace: "default" }).create({ metadata: { name: "a" }, spec: { size: "1" } });
  await client.resource(CustomResourceDefinition).apply(crdOf(Foo), { fieldManager: "upgrade", force: true });
  const place = { name: "nobody-is-ready", namespace: "default" };
  const manager = new Manager({
    client,
    http: { host: "127.0.0.1", port: 0 },
    webhooks: { name: "foos", port: 0, service: place, certificates: { secret: place } },
  });
  manager.controller({ name: "foos", for: Foo, reads: [ConfigMap], reconcile: async () => {} });
  const run = manager.start();
  onTestFinished(() => run.close());

  const waits = 'the cache of hooks.example.com/v1/foos is not filled: .*service "nobody-is-ready" not found';
  const asked = async (): Promise<string> => {
    const response = await fetch(`${manager.url}/readyz`);
    return `${response.status} ${await response.text()}`;
  };
  await eventually("the cache waits", () => manager.problems().some((problem) => new RegExp(waits).test(problem)));
  expect(await asked()).toMatch(new RegExp(`^200 reviews are answered, but\n${waits}`));
});

test("a replica is not ready for reviews before the caches that their functions read", async () => {
  const client = await embedded();
  const manager = new Manager({
    client: client.through((transport) => async (request, signal) => {
      if (request.path.startsWith("/api/v1/configmaps")) throw new Error("no ConfigMaps today");
      return transport(request, signal);
    }),
    http: { host: "127.0.0.1", port: 0 },
    webhooks: { name: "foos", port: 0, certificates: { secret: { name: "foos", namespace: "default" } } },
  });
  manager.webhook({ for: Pod, validate: () => (manager.reader.list(ConfigMap).length > 9 && "too many") || [] });
  manager.cache(ConfigMap, {});
  const run = manager.start();
  onTestFinished(() => run.close());
  await eventually("the list has failed", () =>
    manager.problems().some((problem) => /no ConfigMaps today/.test(problem)),
  );
  expect((await fetch(`${manager.url}/readyz`)).status).toBe(503);
});
