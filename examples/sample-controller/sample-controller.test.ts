/** One suite for both styles, on the embedded server in this process and over HTTPS, and on a real one where there is one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Client,
  connect,
  createLogger,
  Deployment,
  EventBroadcaster,
  type Logger,
  newControllerRef,
} from "coxswain";
import { CustomResourceDefinition, Event, Namespace } from "coxswain/api";
import { writeKubeconfig } from "coxswain/apiserver";
import { type Running, startRunning } from "coxswain/base";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { Client as InProcessClient } from "coxswain/client";
import { startApiServer } from "../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { deploymentFor } from "./deployment.js";
import { Foo, fooDefinition } from "./foo.js";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

type Style = (client: Client, log: Logger, signal: AbortSignal) => Promise<void>;

const styles: Readonly<Record<string, Style>> = {
  async "low-level"(client, log, signal) {
    const broadcaster = new EventBroadcaster({ log });
    await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
    const recorder = broadcaster.newRecorder({ component: "sample-controller" });
    await runSampleController({ client, recorder, log }, signal);
  },
  "high-level": runSampleManager,
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

async function overHttps(): Promise<Client> {
  const server = await startApiServer();
  lifetimes.push(server);
  const listener = await server.listen({ address: "127.0.0.1", port: 0 });
  lifetimes.push(listener);
  const folder = await mkdtemp(join(tmpdir(), "coxswain-sample-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    await writeKubeconfig(kubeconfig, listener.kubeconfig);
    const client = await connect({ kubeconfig });
    lifetimes.push(client);
    return client;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function real(): Promise<Client> {
  const client = await connect({ kubeconfig: (await realCluster()).kubeconfig });
  lifetimes.push(client);
  return client;
}

const servers = {
  "the embedded server": embedded,
  "the embedded server over HTTPS": overHttps,
  "a real server (needs KUBEBUILDER_ASSETS)": real,
};
let tests = 0;

for (const [where, open] of Object.entries(servers)) {
  for (const [style, run] of Object.entries(styles)) {
    describe.skipIf(open === real && !hasRealCluster())(`the ${style} sample controller on ${where}`, () => {
      async function start(): Promise<{
        client: Client;
        namespace: string;
        running: Running;
        lines: readonly string[];
      }> {
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
        const lines: string[] = [];
        const log = createLogger({ level: "info", format: "text", write: (line) => void lines.push(line) });
        const running = startRunning((signal) => run(client, log, signal));
        lifetimes.push(running);
        return { client, namespace, running, lines };
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
        const said = async (): Promise<readonly string[]> =>
          (await client.resource(Event, { namespace }).list()).items.map(
            ({ involvedObject, type, reason, message }) => `${involvedObject.name} ${type} ${reason} ${message}`,
          );
        await expect
          .poll(said, { timeout: 20_000 })
          .toEqual(
            expect.arrayContaining([
              'late Warning ErrResourceExists Resource "taken" already exists and is not managed by Foo',
              "proof Normal Synced Foo synced successfully",
            ]),
          );
      });

      test("reports a Foo without a deploymentName, once, and goes on", async () => {
        const { client, namespace, lines } = await start();
        const foos = client.resource(Foo, { namespace });
        await foos.create({ metadata: { name: "nameless" }, spec: { replicas: 1 } });
        await foos.create({ metadata: { name: "proof" }, spec: { deploymentName: "proof", replicas: 1 } });
        await foos.waitFor("proof", (now) => now?.status !== undefined, soon());
        const about = lines.filter((line) => line.includes(`${namespace}/nameless`));
        expect(about).toEqual([expect.stringContaining("deploymentName must be specified")]);
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
