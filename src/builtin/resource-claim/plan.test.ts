import { describe, expect, test } from "vitest";
import { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/index.js";
import { patienceMs } from "../../../test/eventually.js";
import { deviceFinalizer } from "../../placement/device-claims.js";
import { startCluster } from "../../testing/cluster.js";
import { claimFromTemplate, claimSteps, needsReservation } from "./plan.js";

const pod = (status: Pod["status"] = {}, metadata: object = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", uid: "u", ...metadata },
  spec: { containers: [], nodeName: "a" },
  status,
});
const consumer = { resource: "pods", name: "p", uid: "u" };
const allocation = { devices: {} };
const claim = (status: ResourceClaim["status"], metadata: object = {}): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c", namespace: "default", finalizers: [deviceFinalizer], ...metadata },
  spec: {},
  ...(status && { status }),
});
const generated = {
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
  finalizers: [],
};
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("a claim", () => {
  const stepsOf = (one: ResourceClaim, needed: boolean, owner?: Pod) =>
    claimSteps(one, { isNeeded: () => needed, owner }).map((step) =>
      step.type === "reserve" ? `reserve ${step.consumers.length}${step.frees ? " and free" : ""}` : step.type,
    );
  const used = { allocation, reservedFor: [consumer] };
  for (const [title, got, expected] of [
    ["stays reserved for a pod that needs it", stepsOf(claim(used), true), []],
    ["is freed after its last pod", stepsOf(claim(used), false), ["reserve 0 and free", "unprotect"]],
    ["of another allocator keeps its allocation", stepsOf(claim(used, { finalizers: [] }), false), ["reserve 0"]],
    [
      "that is to go is freed and lets go",
      stepsOf(claim({ allocation }, going), true),
      ["reserve 0 and free", "unprotect"],
    ],
    ["that is to go and has nothing lets go", stepsOf(claim({}, going), true), ["unprotect"]],
    ["that a pod still needs does not go", stepsOf(claim(used, going), true), []],
    ["of a pod that waits stays", stepsOf(claim({}, generated), true, pod()), []],
    ["of a pod that is over goes", stepsOf(claim({}, generated), true, pod({ phase: "Succeeded" })), ["delete"]],
    ["of a pod that was replaced goes", stepsOf(claim({}, generated), true, pod({}, { uid: "v" })), ["delete"]],
  ] as const) {
    test(title, () => expect(got).toEqual(expected));
  }

  test("is reserved for a pod with a node if it is allocated and has room", () => {
    expect(needsReservation(claim({ allocation }), pod())).toBe(true);
    expect(needsReservation(claim({}), pod())).toBe(false);
    expect(needsReservation(claim(used), pod())).toBe(false);
    const many = Array.from({ length: 256 }, (_, i) => ({ resource: "pods", name: `q${i}`, uid: `v${i}` }));
    expect(needsReservation(claim({ allocation, reservedFor: many }), pod())).toBe(false);
  });

  test("from a template belongs to its pod, and its name has room for an ending", () => {
    const template: ResourceClaimTemplate = {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaimTemplate",
      metadata: { name: "one" },
      spec: { metadata: { labels: { a: "b" } }, spec: {} },
    };
    expect(claimFromTemplate(pod(), "gpu", template).metadata).toEqual({
      generateName: "p-gpu-",
      labels: { a: "b" },
      annotations: { "resource.kubernetes.io/pod-claim-name": "gpu" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
    });
    const { generateName = "" } = claimFromTemplate(
      pod({}, { name: "p".repeat(60) }),
      "g".repeat(20),
      template,
    ).metadata;
    expect(generateName).toMatch(/^p+-g+$/);
    expect(generateName.length).toBeLessThanOrEqual(58);
  });
});

test("a pod gets its claim from a template when there is one, and the claim goes with it", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["resourceclaim-controller"] });
  const { client, clock } = cluster;
  const namespace = "default";
  const pods = client.resource(Pod, { namespace });
  const claims = client.resource(ResourceClaim, { namespace });
  await pods.create({
    metadata: { name: "p" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }],
    },
  });
  await clock.advance(1_000);
  expect(cluster.events.at(-1)).toBe(
    'Pod p FailedResourceClaimCreation PodResourceClaim gpu: resource claim template "one": resourceclaimtemplate.resource.k8s.io "one" not found',
  );
  const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
  const templates = client.resource(ResourceClaimTemplate, { namespace });
  await templates.create({ metadata: { name: "one" }, spec: { spec: { devices } } });
  const name = async (): Promise<string> => {
    await clock.advance(1_000);
    return (await pods.get("p")).status?.resourceClaimStatuses?.[0]?.resourceClaimName ?? "";
  };
  await expect.poll(name, { timeout: patienceMs }).toMatch(/^p-gpu-[a-z0-9]{5}$/);
  expect((await claims.get(await name())).spec.devices?.requests).toHaveLength(1);
  await client.resource(Pod).status.patch({ name: "p", namespace }, { merge: { status: { phase: "Failed" } } });
  const left = async (): Promise<number> => {
    await clock.advance(1_000);
    return (await claims.list()).items.length;
  };
  await expect.poll(left, { timeout: patienceMs }).toBe(0);
});
