/** One suite for both styles, on the embedded server, and on a real one where there is one. */
import { afterEach, describe, expect, test } from "vitest";
import { type Client, connect, Deployment, newControllerRef } from "coxswain";
import { CustomResourceDefinition, Namespace } from "coxswain/api";
import { type Running, silentLogger, startRunning } from "coxswain/base";
import { fakeEventRecorder } from "coxswain/controller";
import { Client as InProcessClient } from "coxswain/client";
import { startApiServer } from "../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { deploymentFor } from "./deployment.js";
import { Foo, fooDefinition } from "./foo.js";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

const styles: Readonly<Record<string, (client: Client, signal: AbortSignal) => Promise<void>>> = {
  "low-level": (client, signal) =>
    runSampleController({ client, recorder: fakeEventRecorder(), log: silentLogger }, signal),
  "high-level": (client, signal) => runSampleManager(client, silentLogger, signal),
};

let lifetimes: AsyncDisposable[] = [];
afterEach(async () => {
  for (const lifetime of lifetimes.reverse()) await lifetime[Symbol.asyncDispose]();
  lifetimes = [];
});

async function embedded(): Promise<Client> {
  const server = await startApiServer();
  lifetimes.push(server);
  const client = new InProcessClient({ transport: server.transport() });
  lifetimes.push(client);
  return client;
}

async function real(): Promise<Client> {
  const client = await connect({ kubeconfig: (await realCluster()).kubeconfig });
  lifetimes.push(client);
  return client;
}

const servers = { "the embedded server": embedded, ...(hasRealCluster() ? { "a real server": real } : {}) };
let tests = 0;

for (const [where, open] of Object.entries(servers)) {
  for (const [style, run] of Object.entries(styles)) {
    describe(`the ${style} sample controller on ${where}`, () => {
      async function start(): Promise<{ client: Client; namespace: string; running: Running }> {
        const client = await open();
        const namespace = `foos-${process.pid}-${++tests}`;
        const crd = fooDefinition();
        await client.resource(CustomResourceDefinition).createOrUpdate(crd.metadata, (current) => current ?? crd);
        await client
          .resource(CustomResourceDefinition)
          .waitFor(
            crd.metadata,
            (now) =>
              now?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true,
            { signal: AbortSignal.timeout(20_000) },
          );
        await client.resource(Namespace).create({ metadata: { name: namespace } });
        const running = startRunning((signal) => run(client, signal));
        lifetimes.push(running);
        return { client, namespace, running };
      }
      const soon = () => ({ signal: AbortSignal.timeout(20_000) });

      test("makes the Deployment, keeps its size, and shows how many of its pods are available", async () => {
        const { client, namespace } = await start();
        const foos = client.resource(Foo, { namespace });
        const deployments = client.resource(Deployment, { namespace });
        await foos.create({ metadata: { name: "example" }, spec: { deploymentName: "example", replicas: 2 } });
        const made = await deployments.waitFor("example", (now) => now !== undefined, soon());
        expect(made?.metadata.ownerReferences).toMatchObject([{ kind: "Foo", name: "example", controller: true }]);
        expect(made?.spec?.template.spec?.containers[0]?.image).toBe("nginx:latest");

        await deployments.patch("example", { merge: { spec: { replicas: 7 } } });
        await deployments.waitFor("example", (now) => now?.spec?.replicas === 2, soon());

        await deployments.status.patch("example", {
          merge: { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2 } },
        });
        await foos.waitFor("example", (now) => now?.status?.availableReplicas === 2, soon());

        await deployments.delete("example");
        await deployments.waitFor(
          "example",
          (now) => now !== undefined && now.metadata.uid !== made?.metadata.uid,
          soon(),
        );
      });

      test("leaves alone a Deployment that is not its own", async () => {
        const { client, namespace } = await start();
        const foos = client.resource(Foo, { namespace });
        const deployments = client.resource(Deployment, { namespace });
        const other = await foos.create({ metadata: { name: "other" }, spec: {} });
        const taken = deploymentFor({ ...other, spec: { deploymentName: "taken", replicas: 3 } });
        await deployments.create({
          ...taken,
          metadata: { name: "taken", ownerReferences: [newControllerRef(other, Foo)] },
        });
        await foos.create({ metadata: { name: "late" }, spec: { deploymentName: "taken", replicas: 1 } });
        await foos.create({ metadata: { name: "proof" }, spec: { deploymentName: "proof", replicas: 1 } });
        await deployments.waitFor("proof", (now) => now !== undefined, soon());
        expect((await deployments.get("taken")).spec?.replicas).toBe(3);
      });

      test("refuses what the schema does not allow", async () => {
        const { client, namespace } = await start();
        await expect(
          client
            .resource(Foo, { namespace })
            .create({ metadata: { name: "huge" }, spec: { deploymentName: "huge", replicas: 11 } }),
        ).rejects.toThrow("should be less than or equal to 10");
      });
    });
  }
}
