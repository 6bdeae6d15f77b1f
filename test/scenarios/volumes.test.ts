/** Claims and volumes on the embedded server: who gets which, what is made for whom, and what becomes of it. */
import { describe, expect, test } from "vitest";
import { PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet, StorageClass } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { simulatedProvisioner } from "../../src/controllers/index.js";
import { startCluster } from "../../src/testing/cluster.js";

const namespace = "default";

async function start() {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const cluster = await startCluster({ clock, controllers: ["*"], nodes: 1 });
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
    // what is freed by hand is given to who waits
    await c.volume("late", "2Gi", { claimRef: { namespace, name: waiting } });
    await c.clock.pass(5_000);
    expect((await c.phases()).claims[waiting]).toEqual(["Bound", "late"]);
  });

  test("a volume is made for a claim of the simulated class, and goes with it; one to be retained stays, released", async () => {
    await using c = await start();
    await c.storageClass("standard", {
      metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    });
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
    await c.client.resource(Pod, { namespace }).create({
      metadata: { name: "p" },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
    await c.clock.pass(5_000);
    const { metadata, status } = await c.claims.get("data");
    expect([status?.phase, metadata.annotations?.["volume.kubernetes.io/selected-node"]]).toEqual(["Bound", "node-1"]);
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
    await c.storageClass("standard", {
      metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    });
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
