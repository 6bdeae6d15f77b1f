/**
 * Claims and volumes on the embedded server: which claim gets which volume, which volumes are made, and what happens to
 * them later.
 */
import { describe, expect, test } from "vitest";
import { PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet, StorageClass } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { simulatedProvisioner } from "../../src/builtin/index.js";
import { startCluster } from "../../src/testing/cluster.js";

const namespace = "default";

async function start(nodes = 1) {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const cluster = await startCluster({ clock, controllers: ["*"], nodes });
  const { client } = cluster;
  const claims = client.resource(PersistentVolumeClaim, { namespace });
  const volumes = client.resource(PersistentVolume);
  const claim = (name: string, storage: string, spec: object = {}) =>
    claims.create({
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
    });
  const volume = (name: string, storage: string, spec: object = {}) =>
    volumes.create({
      metadata: { name, labels: { name } },
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage }, hostPath: { path: "/x" }, ...spec },
    });
  const storageClass = (name: string, more: object = {}) =>
    client.resource(StorageClass).create({ metadata: { name }, provisioner: simulatedProvisioner, ...more });
  /** Why something was told of the claim. */
  const reasons = (name: string) =>
    cluster.events
      .map((line) => line.split(" "))
      .filter(([, about]) => about === name)
      .map(([, , reason]) => reason);
  const pods = client.resource(Pod, { namespace });
  const pod = (name: string, claimName: string) =>
    pods.create({
      metadata: { name },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
      },
    });
  /** Why it has no node. */
  const held = async (name: string) => {
    const { spec, status } = await pods.get(name);
    return [spec?.nodeName ?? "", status?.conditions?.find(({ type }) => type === "PodScheduled")?.message];
  };
  const phases = async () => ({
    claims: Object.fromEntries(
      (await claims.list()).items.map(({ metadata, spec, status }) => [
        metadata.name,
        [status?.phase, spec?.volumeName],
      ]),
    ),
    volumes: Object.fromEntries(
      (await volumes.list()).items.map(({ metadata, status }) => [metadata.name, status?.phase]),
    ),
  });
  return {
    ...cluster,
    client,
    clock,
    claims,
    volumes,
    claim,
    volume,
    storageClass,
    reasons,
    phases,
    pods,
    pod,
    held,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

describe("claims and volumes", () => {
  test("a claim gets the smallest volume that serves, each volume goes to one claim, and the rest wait with a word", async () => {
    await using c = await start();
    await c.volume("big", "10Gi");
    await c.volume("small", "1Gi");
    await c.volume("other-class", "1Gi", { storageClassName: "gold" });
    await c.claim("first", "1Gi", { storageClassName: "" });
    await c.claim("second", "1Gi", { storageClassName: "" });
    await c.claim("third", "1Gi", { storageClassName: "" });
    await c.clock.pass(5_000);
    const { claims, volumes } = await c.phases();
    const bound = Object.values(claims).filter(([phase]) => phase === "Bound");
    expect(bound.map(([, name]) => name)).toEqual(expect.arrayContaining(["big", "small"]));
    expect(volumes).toEqual({ big: "Bound", small: "Bound", "other-class": "Available" });
    const waiting = Object.keys(claims).find((name) => claims[name]?.[0] === "Pending") ?? "";
    expect(c.reasons(waiting)).toContain("FailedBinding");
    const { metadata, spec } = await c.volumes.get("small");
    expect(metadata.annotations).toMatchObject({ "pv.kubernetes.io/bound-by-controller": "yes" });
    const holder = await c.claims.get(spec?.claimRef?.name ?? "");
    expect(holder).toMatchObject({
      metadata: { uid: spec?.claimRef?.uid, annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
      status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
    });
    // a volume that is freed by hand is given to a claim that waits
    await c.volume("late", "2Gi", { claimRef: { namespace, name: waiting } });
    await c.clock.pass(5_000);
    expect((await c.phases()).claims[waiting]).toEqual(["Bound", "late"]);
  });

  test("a volume is made for a claim of the simulated class, and goes with it; one to be retained stays, released", async () => {
    await using c = await start();
    await c.storageClass("keep", { reclaimPolicy: "Retain" });
    const data = await c.claim("data", "3Gi");
    const kept = await c.claim("kept", "1Gi", { storageClassName: "keep" });
    await c.clock.pass(5_000);
    const [made, stays] = [`pvc-${data.metadata.uid}`, `pvc-${kept.metadata.uid}`];
    expect(await c.phases()).toEqual({
      claims: { data: ["Bound", made], kept: ["Bound", stays] },
      volumes: { [made]: "Bound", [stays]: "Bound" },
    });
    expect((await c.volumes.get(made)).spec).toMatchObject({
      capacity: { storage: "3Gi" },
      storageClassName: "standard",
    });
    expect(c.reasons("data")).toEqual(
      expect.arrayContaining(["ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]),
    );
    await c.claims.delete("data");
    await c.claims.delete("kept");
    await c.clock.pass(5_000);
    expect(await c.phases()).toEqual({ claims: {}, volumes: { [stays]: "Released" } });
  });

  test("a claim that waits for its first consumer gets its volume when a pod that uses it has a node", async () => {
    await using c = await start();
    await c.storageClass("later", { volumeBindingMode: "WaitForFirstConsumer" });
    await c.claim("data", "1Gi", { storageClassName: "later" });
    await c.clock.pass(5_000);
    expect((await c.phases()).claims["data"]?.[0]).toBe("Pending");
    expect(c.reasons("data")).toContain("WaitForFirstConsumer");
    await c.pod("p", "data");
    await c.clock.pass(5_000);
    const { metadata, status } = await c.claims.get("data");
    expect([status?.phase, metadata.annotations?.["volume.kubernetes.io/selected-node"]]).toEqual(["Bound", "node-1"]);
  });

  test("a pod waits for its claim, is told why, and gets its node when the claim has its volume", async () => {
    await using c = await start();
    await c.pod("p", "data");
    await c.clock.pass(5_000);
    const forms = (why: string) => ["", `0/1 nodes are available: ${why}. not found`];
    expect(await c.held("p")).toEqual(forms('persistentvolumeclaim "data" not found'));
    await c.claim("data", "1Gi", { storageClassName: "" });
    await c.clock.pass(15_000);
    expect(await c.held("p")).toEqual(forms("pod has unbound immediate PersistentVolumeClaims"));
    await c.volume("v", "1Gi");
    await c.clock.pass(20_000);
    expect((await c.held("p"))[0]).toBe("node-1");
  });

  test("a pod goes to the node that has a volume for it, and that volume is its own", async () => {
    await using c = await start(3);
    await c.storageClass("local", {
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const on = (node: string) => ({
      storageClassName: "local",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] },
          ],
        },
      },
    });
    await c.claim("data", "2Gi", { storageClassName: "local" });
    await c.volume("small", "1Gi", on("node-1"));
    await c.pod("p", "data");
    await c.clock.pass(5_000);
    const [node, message] = await c.held("p");
    expect([node, String(message).split(" no new claims")[0]]).toEqual([
      "",
      "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.",
    ]);
    expect(c.reasons("data")).toContain("WaitForPodScheduled");
    await c.volume("large", "3Gi", on("node-2"));
    await c.clock.pass(20_000);
    expect([(await c.held("p"))[0], (await c.phases()).claims["data"]]).toEqual(["node-2", ["Bound", "large"]]);
    // it is bound to where its volume is, for ever
    await c.pods.delete("p");
    await c.clock.pass(60_000);
    await c.pod("again", "data");
    await c.clock.pass(5_000);
    expect((await c.held("again"))[0]).toBe("node-2");
  });

  test("a pod whose volume is never made waits without its node, and keeps nobody else waiting", async () => {
    await using c = await start();
    await c.storageClass("never", { provisioner: "example.com/x", volumeBindingMode: "WaitForFirstConsumer" });
    const names = Array.from({ length: 66 }, (_, i) => `d${i}`);
    for (const name of names) {
      await c.claim(name, "1Gi", { storageClassName: "never" });
      await c.pod(name, name);
    }
    await c.client.resource(Pod, { namespace }).create({
      metadata: { name: "plain" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await c.clock.pass(10_000);
    expect([(await c.held("plain"))[0], (await c.held("d65"))[0]]).toEqual(["node-1", ""]);
    const selected = "volume.kubernetes.io/selected-node";
    expect((await c.claims.get("d65")).metadata.annotations).toMatchObject({ [selected]: "node-1" });
    // the provisioner reports that it cannot make the volume
    await c.claims.patch("d1", { merge: { metadata: { annotations: { [selected]: null } } } });
    await c.clock.pass(500);
    expect(await c.held("d1")).toEqual([
      "",
      'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "d1"',
    ]);
    await c.clock.pass(610_000);
    expect(await c.held("d2")).toEqual([
      "",
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    ]);
  });

  test("a claim gets the volume that it names only if that serves it, and the default class if there is one later", async () => {
    await using c = await start();
    await c.volume("v", "1Gi");
    await c.claim("large", "2Gi", { storageClassName: "", volumeName: "v" });
    await c.clock.pass(5_000);
    expect(c.events).toContainEqual(
      'PersistentVolumeClaim large VolumeMismatch Cannot bind to requested volume "v": requested PV is too small',
    );
    await c.client.resource(StorageClass).delete("standard");
    await c.claim("data", "1Ti");
    await c.clock.pass(5_000);
    expect(c.reasons("data")).toContain("FailedBinding");
    await c.storageClass("new", {
      metadata: { name: "new", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    });
    await c.clock.pass(5_000);
    const { spec, status } = await c.claims.get("data");
    expect([spec?.storageClassName, status?.phase]).toEqual(["new", "Bound"]);
  });

  test("a bound claim whose volume is taken away is lost, and says so", async () => {
    await using c = await start();
    await c.volume("v", "1Gi");
    await c.claim("data", "1Gi", { storageClassName: "" });
    await c.clock.pass(5_000);
    await c.volumes.patch("v", { merge: { metadata: { finalizers: null } } });
    await c.volumes.delete("v");
    await c.clock.pass(5_000);
    expect((await c.phases()).claims["data"]?.[0]).toBe("Lost");
    expect(c.reasons("data")).toContain("ClaimLost");
  });

  test("a StatefulSet's claims are bound, one for each pod", async () => {
    await using c = await start();
    const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
    await c.client.resource(StatefulSet, { namespace }).create({
      metadata: { name: "db" },
      spec: {
        serviceName: "db",
        replicas: 2,
        selector: { matchLabels: { app: "db" } },
        template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec }],
      },
    });
    await c.clock.pass(10_000);
    const { claims } = await c.phases();
    expect(Object.entries(claims).map(([name, [phase]]) => [name, phase])).toEqual([
      ["data-db-0", "Bound"],
      ["data-db-1", "Bound"],
    ]);
  });
});
