/** Deployments rolled out by our controllers on a real kube-apiserver; the test plays the kubelet. */
import { describe, expect, test } from "vitest";
import { Deployment, type KubeObject, Namespace, Pod, ReplicaSet } from "../../src/api/index.js";
import { startRunning } from "../../src/base/index.js";
import { type Client, connect } from "../../src/client/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../src/builtin/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { eventually, patienceMs } from "../eventually.js";

const namespace = "scenario-deployment";
const labels = { app: "web" };
const wait = { timeoutMs: patienceMs };

/** Marks pods as running and ready, as they come. */
async function playKubelet(client: Client, signal: AbortSignal): Promise<void> {
  const pods = client.resource(Pod, { namespace });
  for await (const event of pods.watch({ sendInitialEvents: true, signal })) {
    if (event.type !== "ADDED") continue;
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    await pods.status.patch(event.object.metadata, { strategic: { status: { phase: "Running", conditions } } });
  }
}

const isAvailable = (generation: number) => (deployment: Deployment | undefined) => {
  const { availableReplicas, updatedReplicas, replicas, observedGeneration = 0 } = deployment?.status ?? {};
  return availableReplicas === 3 && updatedReplicas === 3 && replicas === 3 && observedGeneration >= generation;
};

const revisionOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.["deployment.kubernetes.io/revision"];

describe.skipIf(!hasRealCluster())("on the real control plane (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  test("a Deployment rolls out, keeps its old set and heals", async () => {
    const events: string[] = [];
    const note = (object: KubeObject, reason: string, message: string): unknown =>
      events.push(`${object.kind} ${reason} ${message}`);
    const { kubeconfig } = await realCluster();
    await using client = await connect({ kubeconfig });
    await client.resource(Namespace).create({ metadata: { name: namespace } });
    await using _controllers = startRunning((stop) =>
      runControllers({
        client,
        controllers: selectControllers(["deployment", "replicaset"], builtInControllers),
        namespace,
        signal: stop,
        recorderFor: () => ({ normal: note, warning: note }),
      }),
    );
    await using _kubelet = startRunning((stop) => playKubelet(client, stop));
    const deployments = client.resource(Deployment, { namespace });
    const pods = client.resource(Pod, { namespace });

    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
    await deployments.create({
      metadata: { name: "web" },
      spec: { replicas: 3, selector: { matchLabels: labels }, template },
    });
    const first = await deployments.waitFor("web", isAvailable(1), wait);
    expect(revisionOf(first as Deployment)).toBe("1");

    const containers = [{ name: "c", image: "nginx:2" }];
    await deployments.patch("web", { strategic: { spec: { template: { spec: { containers } } } } });
    const second = await deployments.waitFor("web", isAvailable(2), wait);
    expect(revisionOf(second as Deployment)).toBe("2");
    await deployments.waitFor(
      "web",
      (deployment) =>
        deployment?.status?.conditions?.find(({ type }) => type === "Progressing")?.reason === "NewReplicaSetAvailable",
      wait,
    );
    const sets = (await client.resource(ReplicaSet, { namespace }).list({})).items;
    expect(Object.fromEntries(sets.map((set) => [revisionOf(set), set.spec?.replicas]))).toEqual({ "1": 0, "2": 3 });
    expect(events.find((event) => event.includes("ScalingReplicaSet"))).toMatch(
      /^Deployment ScalingReplicaSet Scaled up replica set web-[a-z0-9]+ from 0 to 3$/,
    );

    const alive = async (): Promise<readonly string[]> =>
      (await pods.list({})).items.flatMap(({ metadata }) =>
        metadata.deletionTimestamp === undefined ? [metadata.name] : [],
      );
    const [victim = ""] = await alive();
    await pods.delete(victim, { gracePeriodSeconds: 0 });
    await eventually("another pod has taken its place", async () => {
      const names = await alive();
      return names.length === 3 && !names.includes(victim);
    });
    await deployments.waitFor("web", isAvailable(2), wait);
  });
});
