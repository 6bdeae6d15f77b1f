/**
 * The way from an API server to the webhooks of an installed operator: the configurations name the Service, its selector
 * finds the pods of the Deployment, its port leads to theirs, and the certificate has its name.
 */
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { connect } from "coxswain";
import { EndpointSlice, Namespace, Node, Pod } from "coxswain/api";
import { afterEach, describe, expect, test, vi } from "vitest";
import { embeddedTls, type TlsServer } from "../../examples/testing/account.js";
import { keep, ownNamespace } from "../../examples/testing/servers.js";
import { startRunning } from "../../src/base/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { fileOf, type Install, runAsInstalled, toolOn, ways } from "./installed.js";
import { operator, portVariable, Valve, ValveV1beta1 } from "./routed-operator.js";

afterEach(() => void vi.unstubAllEnvs());

/** An address of this machine that an EndpointSlice may have: loopback is refused there. */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** kube-apiserver dials the endpoints itself with this flag, which clusters without a service proxy at the server have. */
async function realWithRouting(): Promise<TlsServer> {
  const flags = ["--enable-aggregator-routing=true"];
  const { kubeconfig, url, ca } = keep(await startEnvtest({ assets: envtestAssets() ?? "", flags }));
  return { admin: keep(await connect({ kubeconfig })), kubeconfig, url: new URL(url), ca };
}

/** The controllers that make pods of the Deployment, and endpoints of the pods. */
function startControllers({ kubeconfig }: TlsServer): void {
  const args = ["--controllers", "deployment,replicaset,endpointslice", "--no-leader-elect", "--log-level", "off"];
  const run = async (signal: AbortSignal): Promise<void> => {
    const stopSignal = () => ({ signal, [Symbol.dispose]: () => {} });
    const nothing = (): void => {};
    await runCommandLine(["controller-manager", "--kubeconfig", kubeconfig, ...args], {
      out: nothing,
      err: nothing,
      stopSignal,
    });
  };
  keep(startRunning(run));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isDone = (): boolean => true;

/** A server hears of new endpoints a moment later. */
function isRefusedYet(error: Error): boolean {
  if (/no endpoints available|failed calling webhook/.test(error.message)) return false;
  throw error;
}

const places = [
  { where: "the embedded server", open: embeddedTls },
  { where: "a real server", open: realWithRouting },
];

for (const { where, open } of places)
  describe.skipIf(!hasRealCluster() || address === undefined)(
    `on ${where} (needs KUBEBUILDER_ASSETS for kubectl, and a network address)`,
    () => {
      test("webhooks and conversions are reached through the Service of the manifests", async () => {
        const port = await freePort();
        vi.stubEnv(portVariable, String(port));
        const server = await open();
        const { admin } = server;
        const [name, namespace, work] = [ownNamespace("valve"), ownNamespace("system"), ownNamespace("work")];
        const tool = await toolOn(server);
        await (ways["kubectl apply -f"] as Install)(tool, { name, namespace, file: fileOf("routed-operator") });
        startControllers(server);
        await admin.resource(Namespace).create({ metadata: { name: work } });
        const { manager } = await runAsInstalled(server, { name, namespace, make: operator, listens: {} });
        await eventually("the webhooks are in order", () => manager.problems().length === 0);

        // a pod that is not ready is no endpoint, and without the webhook nothing is stored
        const pods = admin.resource(Pod, { namespace });
        await eventually("the Deployment has its pods", async () => (await pods.list()).items.length === 2);
        const valves = admin.resource(Valve, { namespace: work });
        const shut = { metadata: { name: "shut" }, spec: {} };
        await expect(valves.create(shut)).rejects.toThrow(/no endpoints available for service|failed calling webhook/);

        const [pod] = (await pods.list()).items as [Pod, Pod];
        await admin.resource(Node).create({ metadata: { name: "here" } });
        const target = { apiVersion: "v1", kind: "Node", name: "here" };
        const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: pod.metadata.name }, target };
        await pods.subresource("binding").create(pod.metadata.name, binding);
        const ready = { type: "Ready", status: "True" } as const;
        const ip = address as string;
        const running = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions: [ready] } as const;
        await pods.subresource("status").patch(pod.metadata.name, { merge: { status: running } });
        await eventually("the webhook is reached", () => valves.create(shut).then(isDone, isRefusedYet));
        const slices = await admin.resource(EndpointSlice, { namespace }).list();
        expect(
          slices.items.map(({ endpoints = [], ports }) => ({
            addresses: endpoints.flatMap((one) => one.addresses),
            ports,
          })),
        ).toEqual([
          {
            addresses: [address],
            ports: expect.arrayContaining([expect.objectContaining({ name: "webhooks", port })]) as unknown,
          },
        ]);

        expect((await valves.get("shut")).spec).toEqual({ open: false });
        const wide = { metadata: { name: "wide" }, spec: { litres: 101 } };
        await expect(valves.create(wide)).rejects.toThrow("spec.litres: the pipe bursts");
        const old = admin.resource(ValveV1beta1, { namespace: work });
        expect((await old.create({ metadata: { name: "old" }, spec: { flow: "7 l" } })).spec.open).toBe(false);
        expect((await valves.get("old")).spec).toEqual({ open: false, litres: 7 });
        expect((await old.list()).items.map(({ spec }) => spec)).toEqual([
          { open: false, flow: "7 l" },
          { open: false },
        ]);
      });
    },
  );
