import { describe, expect, test } from "vitest";
import {
  DaemonSet,
  Deployment,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "../../src/api/index.js";
import { simulatedLabel } from "../../src/machines/index.js";
import { imageOf, namespace, startWholeCluster, template, type WholeCluster } from "./whole-cluster.js";

const revisionAnnotation = "deployment.kubernetes.io/revision";

async function deploy(cluster: WholeCluster, replicas: number): Promise<void> {
  await cluster.client.resource(Deployment, { namespace }).create({
    metadata: { name: "web" },
    spec: {
      replicas,
      progressDeadlineSeconds: 30,
      selector: { matchLabels: { app: "web" } },
      template: template("web", "web:1"),
    },
  });
  await cluster.settle();
}

const setImage = (image: string, annotations: Readonly<Record<string, string | null>> = {}) => ({
  strategic: { spec: { template: { metadata: { annotations }, spec: { containers: [{ name: "c", image }] } } } },
});

const images = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => imageOf(pod) ?? "").toSorted();

describe("workloads on a whole cluster", () => {
  test("a Deployment rolls out within its bounds, fails, is undone, paused, resumed and scaled", async () => {
    await using cluster = await startWholeCluster();
    const deployments = cluster.client.resource(Deployment, { namespace });
    const sets = cluster.client.resource(ReplicaSet, { namespace });
    const progressing = async (): Promise<string | undefined> =>
      (await deployments.get("web")).status?.conditions?.find(({ type }) => type === "Progressing")?.reason;
    const revisions = async (): Promise<Readonly<Record<string, number | undefined>>> =>
      Object.fromEntries(
        (await sets.list()).items.map(({ metadata, spec }) => [
          metadata.annotations?.[revisionAnnotation],
          spec?.replicas,
        ]),
      );
    await deploy(cluster, 4);
    expect(images(await cluster.pods())).toEqual(["web:1", "web:1", "web:1", "web:1"]);

    // at no time more than replicas + maxSurge, nor fewer than replicas - maxUnavailable
    await deployments.patch("web", setImage("web:2", { "coxswain.dev/ready-after": "2s" }));
    for (let step = 0; step < 20; step++) {
      await cluster.pass(500);
      const { availableReplicas = 0, replicas = 0 } = (await deployments.get("web")).status ?? {};
      expect([availableReplicas >= 3, replicas <= 5]).toEqual([true, true]);
    }
    await cluster.settle();
    expect(images(await cluster.pods())).toEqual(["web:2", "web:2", "web:2", "web:2"]);
    expect(await revisions()).toEqual({ "1": 0, "2": 4 });

    await deployments.patch("web", setImage("web:3", { "coxswain.dev/ready": "false" }));
    await cluster.settle(60_000);
    expect([await progressing(), await revisions()]).toEqual(["ProgressDeadlineExceeded", { "1": 0, "2": 3, "3": 2 }]);

    // as kubectl rollout undo does: the template of the revision before
    const before = (await sets.list()).items.find(({ metadata }) => metadata.annotations?.[revisionAnnotation] === "2");
    const { "pod-template-hash": _hash, ...labels } = before?.spec?.template?.metadata?.labels ?? {};
    const former = { ...before?.spec?.template, metadata: { ...before?.spec?.template?.metadata, labels } };
    await deployments.patch("web", { json: [{ op: "replace", path: "/spec/template", value: former }] });
    await cluster.settle(15_000);
    expect([await progressing(), await revisions()]).toEqual(["NewReplicaSetAvailable", { "1": 0, "3": 0, "4": 4 }]);

    await deployments.patch("web", { merge: { spec: { paused: true } } });
    await deployments.patch("web", setImage("web:5"));
    await cluster.settle();
    expect([await progressing(), await revisions()]).toEqual(["DeploymentPaused", { "1": 0, "3": 0, "4": 4 }]);
    await deployments.patch("web", { merge: { spec: { paused: false } } });
    await cluster.settle(15_000);
    expect(await revisions()).toEqual({ "1": 0, "3": 0, "4": 0, "5": 4 });

    for (const replicas of [7, 2, 0, 3]) {
      await deployments.scale.patch("web", { merge: { spec: { replicas } } });
      await cluster.settle(8_000);
      expect(await cluster.pods()).toHaveLength(replicas);
    }
  });

  test("a ReplicaSet adopts what its selector takes, releases what it no longer does, and replaces it", async () => {
    await using cluster = await startWholeCluster(1);
    const pods = cluster.client.resource(Pod, { namespace });
    const { metadata, spec } = template("web", "web:0");
    await pods.create({ metadata: { ...metadata, name: "bare" }, spec });
    const sets = cluster.client.resource(ReplicaSet, { namespace });
    for (const name of ["one", "two"]) {
      await sets.create({
        metadata: { name },
        spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template("web", "web:1") },
      });
    }
    await cluster.settle();
    expect(images(await cluster.pods())).toEqual(["web:0", "web:1", "web:1", "web:1"]);
    await pods.patch("bare", { merge: { metadata: { labels: { app: "quarantine" } } } });
    await cluster.settle();
    expect((await pods.get("bare")).metadata.ownerReferences ?? []).toEqual([]);
    expect(await cluster.pods("app=web")).toHaveLength(4);
  });

  test("a StatefulSet is updated down to its partition, then whole, in order, and keeps its claims", async () => {
    await using cluster = await startWholeCluster();
    const sets = cluster.client.resource(StatefulSet, { namespace });
    await sets.create({
      metadata: { name: "db" },
      spec: {
        serviceName: "db",
        replicas: 3,
        selector: { matchLabels: { app: "db" } },
        template: template("db", "db:1"),
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    });
    await cluster.settle(10_000);
    const byName = async (): Promise<readonly string[]> =>
      (await cluster.pods()).map((pod) => `${pod.metadata.name} ${imageOf(pod)}`).toSorted();
    await sets.patch("db", setImage("db:2"));
    await cluster.settle(10_000);
    expect(await byName()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:2"]);
    const partly = (await sets.get("db")).status;
    expect(partly).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    expect(partly?.currentRevision).not.toBe(partly?.updateRevision);

    await sets.patch("db", { merge: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } } });
    await cluster.settle(20_000);
    expect(await byName()).toEqual(["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
    expect((await sets.get("db")).status?.currentRevision).toBe(partly?.updateRevision);
    const deleted = cluster.events
      .filter((event) => event.includes("SuccessfulDelete"))
      .map((event) => event.match(/db-\d/)?.[0]);
    expect(deleted).toEqual(["db-2", "db-1", "db-0"]);

    await sets.scale.patch("db", { merge: { spec: { replicas: 1 } } });
    await cluster.settle(10_000);
    expect(await byName()).toEqual(["db-0 db:2"]);
    const claims = cluster.client.resource(PersistentVolumeClaim, { namespace });
    expect((await claims.list()).items).toHaveLength(3);
  });

  test("a DaemonSet is on every node that it fits, also on a new one, and one pod at a time is replaced", async () => {
    await using cluster = await startWholeCluster();
    const sets = cluster.client.resource(DaemonSet, { namespace });
    await sets.create({
      metadata: { name: "agent" },
      spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent", "agent:1") },
    });
    await cluster.settle();
    expect(await cluster.pods()).toHaveLength(3);
    await sets.patch("agent", setImage("agent:2", { "coxswain.dev/ready-after": "2s" }));
    for (let step = 0; step < 20; step++) {
      await cluster.pass(500);
      expect((await sets.get("agent")).status?.numberUnavailable ?? 0).toBeLessThanOrEqual(1);
    }
    await cluster.settle();
    expect(images(await cluster.pods())).toEqual(["agent:2", "agent:2", "agent:2"]);
    const nodes = cluster.client.resource(Node);
    const labels = { [simulatedLabel.key]: simulatedLabel.value, "kubernetes.io/hostname": "node-9" };
    const capacity = { cpu: "4", memory: "8Gi", pods: "110" };
    await nodes.create({ metadata: { name: "node-9", labels }, status: { capacity, allocatable: capacity } });
    await cluster.settle(15_000);
    const places = async () => (await cluster.pods()).map(({ spec }) => spec?.nodeName ?? "").toSorted();
    expect(await places()).toEqual(["node-1", "node-2", "node-3", "node-9"]);
    await nodes.delete("node-9");
    await cluster.pass(120_000);
    await cluster.settle();
    expect(await places()).toEqual(["node-1", "node-2", "node-3"]);
    await sets.patch("agent", {
      strategic: { spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "node-2" } } } } },
    });
    await cluster.settle(10_000);
    expect(await places()).toEqual(["node-2"]);
    expect((await sets.get("agent")).status).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 0 });
  });

  test("a DaemonSet that surges takes the old pod away once the new one has proved itself for long enough", async () => {
    await using cluster = await startWholeCluster();
    const sets = cluster.client.resource(DaemonSet, { namespace });
    await sets.create({
      metadata: { name: "agent" },
      spec: {
        minReadySeconds: 5,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        selector: { matchLabels: { app: "agent" } },
        template: template("agent", "agent:1"),
      },
    });
    await cluster.settle(10_000);
    await sets.patch("agent", setImage("agent:2"));
    for (let step = 0; step < 60; step++) {
      await cluster.pass(500);
      const { numberAvailable } = (await sets.get("agent")).status ?? {};
      expect(numberAvailable).toBe(3);
    }
    await cluster.settle();
    expect(images(await cluster.pods())).toEqual(["agent:2", "agent:2", "agent:2"]);
  });
});
