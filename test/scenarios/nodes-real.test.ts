/** The scheduler, the simulated nodes and our controllers on a real kube-apiserver. */
import { describe, expect, test } from "vitest";
import { Deployment, Namespace, Node, Pod } from "../../src/api/index.js";
import { startRunning } from "../../src/base/index.js";
import { connect } from "../../src/client/index.js";
import { builtInControllers, runControllers } from "../../src/builtin/index.js";
import { simulatedLabel, startSimulatedNodes } from "../../src/machines/index.js";
import { startScheduler } from "../../src/scheduler/index.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { eventually, patienceMs } from "../eventually.js";

const assets = envtestAssets();
const namespace = "scenario-nodes";
const labels = { app: "web" };
const wait = { timeoutMs: patienceMs };

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") ?? false;

describe.skipIf(assets === undefined)("on the real control plane (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  test("a Deployment's pods get nodes, run, end gracefully and are replaced", async () => {
    // a cluster of its own: controllers act on everything in a cluster, including the objects of other tests
    await using cluster = await startEnvtest({ assets: assets ?? "" });
    const { kubeconfig } = cluster;
    await using client = await connect({ kubeconfig });
    await client.resource(Namespace).create({ metadata: { name: namespace } });
    await using nodes = startSimulatedNodes({ client, nodes: 2 });
    await using scheduler = startScheduler({ client });
    await using _controllers = startRunning((stop) =>
      runControllers({ client, controllers: builtInControllers, signal: stop }),
    );
    await Promise.all([nodes.started, scheduler.started]);
    const machines = (
      await client.resource(Node).list({ labelSelector: { [simulatedLabel.key]: simulatedLabel.value } })
    ).items;
    expect(machines.map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2"]);
    // the server taints new nodes, and our controller takes that away: pods are to find both
    for (const { metadata } of machines)
      await client.resource(Node).waitFor(metadata.name, (node) => (node?.spec?.taints ?? []).length === 0, wait);

    const deployments = client.resource(Deployment, { namespace });
    const pods = client.resource(Pod, { namespace });
    const containers = [{ name: "web", image: "nginx" }];
    await deployments.create({
      metadata: { name: "web" },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    const available = (deployment: Deployment | undefined): boolean => deployment?.status?.availableReplicas === 4;
    await deployments.waitFor("web", available, wait);
    const running = (await pods.list()).items;
    expect(running.map(({ spec }) => spec?.nodeName ?? "").sort()).toEqual(["node-1", "node-1", "node-2", "node-2"]);
    expect(running.every(isReady)).toBe(true);

    const name = running[0]?.metadata.name ?? "";
    await pods.delete(name);
    await pods.waitFor(name, (pod) => pod === undefined, wait);
    // the count of the status may be from before: the new pod is to be there, and counted
    await eventually("another pod runs in its place", async () => {
      const { items } = await pods.list();
      return items.length === 4 && items.every(isReady);
    });
    await deployments.waitFor("web", available, wait);
    await deployments.delete("web", { propagationPolicy: "Foreground" });
    await deployments.waitFor("web", (deployment) => deployment === undefined, wait);
    expect((await pods.list()).items).toEqual([]);
  });
});
