/** A typed custom kind from nothing: the controller waits for the definition, then makes Deployments and follows their status. */
import { expect, test } from "vitest";
import {
  CustomResourceDefinition,
  defineResource,
  Deployment,
  isControlledBy,
  type KubeObject,
  newControllerRef,
} from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { Manager } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

interface Foo extends KubeObject {
  readonly spec: { readonly deploymentName: string; readonly replicas: number };
  readonly status?: { readonly availableReplicas?: number };
}

const Foo = defineResource<Foo>({
  group: "samplecontroller.k8s.io",
  version: "v1alpha1",
  kind: "Foo",
  plural: "foos",
  scope: "Namespaced",
  subresources: ["status"],
});

const integer = (limits: object = {}) => ({ type: "integer", ...limits }) as const;

const definition = {
  metadata: {
    name: "foos.samplecontroller.k8s.io",
    annotations: { "api-approved.kubernetes.io": "unapproved, experimental-only" },
  },
  spec: {
    group: "samplecontroller.k8s.io",
    names: { kind: "Foo", plural: "foos" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { deploymentName: { type: "string" }, replicas: integer({ minimum: 1, maximum: 10 }) },
              },
              status: { type: "object", properties: { availableReplicas: integer() } },
            },
          },
        },
      },
    ],
  },
} as const;

function deploymentFor(foo: Foo): Deployment {
  const labels = { app: "nginx", controller: foo.metadata.name };
  const { namespace = "" } = foo.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: foo.spec.deploymentName, namespace, ownerReferences: [newControllerRef(foo)] },
    spec: {
      replicas: foo.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:latest" }] } },
    },
  };
}

test("a controller of a custom kind waits for its definition, repairs its Deployment, and shows its status", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const client = new Client({ transport: server.transport(), clock });
  const manager = await Manager.create({ client, clock });
  manager.controller<Foo>({
    name: "foo",
    for: Foo,
    owns: [Deployment],
    async reconcile({ object: foo, cache, client: writer }) {
      const now = await writer.apply(deploymentFor(foo));
      expect(isControlledBy(cache.get(Deployment, now.metadata) ?? now, foo)).toBe(true);
      await writer.status(Foo).patch(foo, { availableReplicas: now.status?.availableReplicas ?? 0 });
    },
  });
  await using _running = manager.start();
  const pass = (ms: number): Promise<void> => clock.pass(ms);
  await pass(5_000);
  expect(manager.problems().join()).toContain(
    "does not know foos.samplecontroller.k8s.io in version v1alpha1: waiting for its CustomResourceDefinition",
  );

  await client.resource(CustomResourceDefinition).create(definition);
  await pass(120_000);
  expect(manager.problems()).toEqual([]);
  const foos = client.resource(Foo, { namespace: "default" });
  const deployments = client.resource(Deployment, { namespace: "default" });
  await foos.create({ metadata: { name: "f" }, spec: { deploymentName: "d", replicas: 2 } });
  await pass(2_000);
  expect([(await deployments.get("d")).spec?.replicas, (await foos.get("f")).status]).toEqual([
    2,
    { availableReplicas: 0 },
  ]);

  await deployments.patch("d", { merge: { spec: { replicas: 7 } } });
  await pass(2_000);
  expect((await deployments.get("d")).spec?.replicas).toBe(2);
  await deployments.status.patch("d", {
    merge: { status: { replicas: 2, availableReplicas: 2, readyReplicas: 2, updatedReplicas: 2 } },
  });
  await pass(2_000);
  expect((await foos.get("f")).status).toEqual({ availableReplicas: 2 });
  expect(manager.explain("default/f")).toMatch(/because Deployment default\/d updated: .*availableReplicas/);
  await expect(foos.patch("f", { merge: { spec: { replicas: 11 } } })).rejects.toThrow(
    "should be less than or equal to 10",
  );
});
