/**
 * The controller as its manifests run it in a pod: no flags, the server's address in the environment, a token and a certificate in a
 * folder, and no permissions but those of its ClusterRole.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import { EventBroadcaster } from "coxswain";
import { type ClusterRole, Event, SelfSubjectReview } from "coxswain/api";
import { silentLogger, startRunning } from "coxswain/base";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { connectAs, embeddedTls, newAccount, realTls, type TlsServer } from "../testing/account.js";
import { establish, keep, soon, soonMs } from "../testing/servers.js";
import { runNetworkController } from "./controller.js";
import { Fabric } from "./fabric.js";
import { Network, networkDefinition } from "./network.js";

const manifests = loadAll(readFileSync(new URL("manifests/in-cluster.yaml", import.meta.url), "utf8"));
const role = (manifests as readonly ClusterRole[]).find(({ kind }) => kind === "ClusterRole");

const built = (layer: string): string => pathToFileURL(join(process.cwd(), "dist", layer, "index.js")).href;
const isBuilt = existsSync(join(process.cwd(), "dist", "client", "index.js"));
const mountable = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/run"]).status === 0;

/** Prints the user that the server sees, its namespace, and the existing Networks. */
const program = `
import { connect } from ${JSON.stringify(built("client"))};
import { defineResource } from ${JSON.stringify(built("api"))};
const client = await connect();
const Network = defineResource({ group: "samplecrd.k8s.io", version: "v1", kind: "Network", plural: "networks", scope: "Namespaced" });
const { items } = await client.resource(Network, { namespace: client.namespace }).list();
console.log(client.namespace, items.map(({ metadata }) => metadata.name).join());
await client[Symbol.asyncDispose]();
`;

function suite(open: () => Promise<TlsServer>): void {
  test("the controller works with what a pod is given, and with the permissions of its manifests", async () => {
    const server = await open();
    await establish(server.admin, networkDefinition());
    const account = await newAccount(server, role ?? {});
    const { namespace, user } = account;
    const client = await connectAs(account);
    expect(client.namespace).toBe(namespace);
    const broadcaster = new EventBroadcaster();
    keep(broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client))));
    const recorder = broadcaster.newRecorder({ component: "network-controller" });
    const options = { client, namespace, fabric: new Fabric(), recorder, log: silentLogger };
    keep(startRunning((signal) => runNetworkController(options, signal)));

    const networks = server.admin.resource(Network, { namespace });
    await networks.create({ metadata: { name: "a" }, spec: { cidr: "10.3.0.0/16", gateway: "10.3.0.1" } });
    const ready = await networks.waitFor("a", (now) => now?.status?.phase === "Ready", soon());
    const writers = (ready?.metadata.managedFields ?? []).filter(({ subresource }) => subresource === "status");
    expect(writers).toHaveLength(1);
    const events = async (): Promise<readonly string[]> =>
      (await server.admin.resource(Event, { namespace }).list()).items.map(({ reason }) => reason ?? "");
    await expect.poll(events, { timeout: soonMs }).toEqual(["Built"]);
    const self = await client.resource(SelfSubjectReview).create({ metadata: {} } as never);
    expect(self.status?.userInfo?.username).toBe(user);
  });

  test.skipIf(!mountable || !isBuilt)(
    "a process without flags finds server, account and namespace by itself (needs a build in dist, and the right to mount)",
    async () => {
      const server = await open();
      await establish(server.admin, networkDefinition());
      const { namespace, serviceAccount, env } = await newAccount(server, role ?? {});
      const spec = { cidr: "10.4.0.0/16", gateway: "10.4.0.1" };
      await server.admin.resource(Network, { namespace }).create({ metadata: { name: "seen" }, spec });
      const script =
        'mount -t tmpfs tmpfs /run && mkdir -p "$mounted" && cp "$given"/* "$mounted" && exec "$node" --input-type=module -e "$program"';
      const child = spawn("unshare", ["--mount", "sh", "-c", script], {
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: serviceAccount,
          given: serviceAccount,
          mounted: "/var/run/secrets/kubernetes.io/serviceaccount",
          node: process.execPath,
          program,
          ...env,
        },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const said: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
      await once(child, "close");
      expect(Buffer.concat(said).toString()).toBe(`${namespace} seen\n`);
    },
  );
}

describe("in a cluster of the embedded server, over TLS", () => suite(embeddedTls));
describe.skipIf(!hasRealCluster())("in a cluster of a real server (needs KUBEBUILDER_ASSETS)", () => suite(realTls));
