/** Tokens of service accounts, and claims that pods still use, on the embedded server. */
import { expect, test } from "vitest";
import {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  ServiceAccount,
  TokenReview,
  VolumeAttributesClass,
} from "../../src/api/index.js";
import { FakeClock, startRunning } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { builtInControllers, runControllers } from "../../src/builtin/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

test("a Secret for a service account gets a token that the server believes, until the account goes and takes it along", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using server = await startTestServer({ clock });
  await using client = new Client({ transport: server.transport(), clock });
  const controllers = builtInControllers.filter(({ aliases }) => aliases.includes("serviceaccount-token"));
  const credentials = { tokenKey: server.tokenKey(), ca: "the authority" };
  await using _running = startRunning((signal) => runControllers({ client, controllers, credentials, clock, signal }));
  const accounts = client.resource(ServiceAccount, { namespace });
  const secrets = client.resource(Secret, { namespace });
  const account = await accounts.create({ metadata: { name: "robot" } });
  const annotations = { "kubernetes.io/service-account.name": "robot" };
  await secrets.create({ metadata: { name: "token", annotations }, type: "kubernetes.io/service-account-token" });
  await clock.pass(1_000);

  const { data = {}, metadata } = await secrets.get("token");
  expect([atob(data["ca.crt"] ?? ""), atob(data["namespace"] ?? "")]).toEqual(["the authority", namespace]);
  expect(metadata.annotations?.["kubernetes.io/service-account.uid"]).toBe(account.metadata.uid);
  const review = () =>
    client.resource(TokenReview).create({ metadata: {}, spec: { token: atob(data["token"] ?? "") } });
  expect((await review()).status).toMatchObject({
    authenticated: true,
    user: { username: "system:serviceaccount:default:robot", uid: account.metadata.uid },
  });

  await accounts.delete("robot");
  await clock.pass(1_000);
  expect(await secrets.getOrUndefined("token")).toBeUndefined();
  expect((await review()).status?.authenticated ?? false).toBe(false);
});

test("a claim that is told to go stays until the last pod that uses it is gone", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const protection = builtInControllers.filter(({ aliases }) => aliases.includes("pvc-protection"));
  await using cluster = await startControllers(protection, { clock });
  const claims = cluster.client.resource(PersistentVolumeClaim, { namespace });
  const pods = cluster.client.resource(Pod, { namespace });
  await claims.create({
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  const spec = { nodeName: "node", containers: [{ name: "c", image: "db" }], volumes };
  await pods.create({ metadata: { name: "db" }, spec });
  await clock.pass(1_000);
  await claims.delete("data");
  await clock.pass(1_000);
  expect((await claims.get("data")).metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  await pods.delete("db", { gracePeriodSeconds: 0 });
  await clock.pass(1_000);
  expect(await claims.getOrUndefined("data")).toBeUndefined();
});

test("a volume that is told to go stays while it is bound, a class of attributes while a claim names it", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const names = ["pv-protection", "vac-protection"];
  const protection = builtInControllers.filter(({ aliases }) => aliases.some((alias) => names.includes(alias)));
  await using cluster = await startControllers(protection, { clock });
  const volumes = cluster.client.resource(PersistentVolume);
  const classes = cluster.client.resource(VolumeAttributesClass);
  const claims = cluster.client.resource(PersistentVolumeClaim, { namespace });
  const storage = { accessModes: ["ReadWriteOnce"] } as const;
  await volumes.create({
    metadata: { name: "disk" },
    spec: { ...storage, capacity: { storage: "1Gi" }, hostPath: { path: "/data" } },
  });
  await volumes.status.patch("disk", { merge: { status: { phase: "Bound" } } });
  await classes.create({ metadata: { name: "fast" }, driverName: "example.com", parameters: { iops: "5" } });
  const spec = { ...storage, volumeAttributesClassName: "fast", resources: { requests: { storage: "1Gi" } } };
  await claims.create({ metadata: { name: "data" }, spec });
  await clock.pass(1_000);
  await volumes.delete("disk");
  await classes.delete("fast");
  await clock.pass(1_000);
  expect((await volumes.get("disk")).metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
  expect((await classes.get("fast")).metadata.finalizers).toEqual(["kubernetes.io/vac-protection"]);

  await volumes.status.patch("disk", { merge: { status: { phase: "Released" } } });
  await claims.patch("data", { merge: { metadata: { finalizers: null } } });
  await claims.delete("data");
  await clock.pass(1_000);
  expect(await volumes.getOrUndefined("disk")).toBeUndefined();
  expect(await classes.getOrUndefined("fast")).toBeUndefined();
});
