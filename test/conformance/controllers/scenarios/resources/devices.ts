/** Scenarios of claims of devices. */
import {
  DeviceClass,
  type DeviceTaint,
  Pod,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
} from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { isTrue } from "../shapes.js";

const containers = [{ name: "c", image: "one" }];
const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
const hasClaim = (pod: Pod | undefined): boolean => (pod?.status?.resourceClaimStatuses ?? []).length > 0;

/** A slice with two devices, named after the scenario. */
async function publish(stage: Stage): Promise<void> {
  const { namespace: name } = stage;
  const pool = { name, generation: 1, resourceSliceCount: 1 };
  const spec = { driver: `${name}.example.com`, pool, allNodes: true, devices: [{ name: "x" }, { name: "y" }] };
  await stage.create(ResourceSlice, { metadata: { name }, spec });
}

async function taint(stage: Stage, taints: readonly DeviceTaint[]): Promise<void> {
  const slice = await stage.of(ResourceSlice).get(stage.namespace);
  const tainted = slice.spec.devices?.map((device) => (device.name === "x" ? { ...device, taints } : device)) ?? [];
  await stage.of(ResourceSlice).update({ ...slice, spec: { ...slice.spec, devices: tainted } });
}

interface Use {
  readonly device: string;
  readonly tolerationSeconds?: number;
}

/** A pod that runs with a claim of the same name, which has the device already. */
async function use(stage: Stage, name: string, { device, tolerationSeconds }: Use): Promise<void> {
  const claim = await stage.create(ResourceClaim, { metadata: { name }, spec: { devices } });
  const finalizers = ["resource.kubernetes.io/delete-protection"];
  const held = await stage.of(ResourceClaim).update({ ...claim, metadata: { ...claim.metadata, finalizers } });
  const toleration = { key: "bad", operator: "Exists" as const, effect: "NoExecute" as const };
  const tolerations = tolerationSeconds === undefined ? [] : [{ ...toleration, tolerationSeconds }];
  const { namespace: pool } = stage;
  const results = [{ request: "r", driver: `${pool}.example.com`, pool, device, tolerations }];
  await stage.of(ResourceClaim).status.update({ ...held, status: { allocation: { devices: { results } } } });
  const resourceClaims = [{ name: "gpu", resourceClaimName: name }];
  await stage.create(Pod, {
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 1, containers, resourceClaims },
  });
  await stage.until(Pod, name, (pod) => isTrue(pod, "Ready"));
  await stage.until(ResourceClaim, name, (one) => one?.status?.reservedFor?.length === 1);
}

const gpu = "example.com/gpu";

/** A pod with an extended resource that nobody gives a node. */
async function asking(stage: Stage, name: string, resource: string, count: string): Promise<Pod> {
  const requests = { cpu: "1", [resource]: count };
  const spec = {
    nodeSelector: { no: "node" },
    containers: [{ name: "c", image: "one", resources: { requests, limits: requests } }],
  };
  return stage.create(Pod, { metadata: { name }, spec });
}

/** The claim that the scheduler makes for the extended resources of a pod. */
async function makeFor(stage: Stage, { metadata: { name, uid = "" } }: Pod, count: number): Promise<ResourceClaim> {
  const exactly = { deviceClassName: stage.namespace, count };
  return stage.create(ResourceClaim, {
    metadata: {
      name: `${name}-extended`,
      finalizers: ["resource.kubernetes.io/delete-protection"],
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
    },
    spec: { devices: { requests: [{ name: "container-0-request-1", exactly }] } },
  });
}

const bad: DeviceTaint = { key: "bad", effect: "NoExecute" };

export const claimsOfDevices: readonly Scenario[] = [
  {
    name: "claims-from-templates",
    async run(stage) {
      // nobody gives these pods a node: their claims are only made and deleted
      const spec = {
        containers,
        nodeSelector: { no: "node" },
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }],
      };
      const template = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: { devices } };
      await stage.create(ResourceClaimTemplate, { metadata: { name: "one" }, spec: template });
      await stage.create(Pod, { metadata: { name: "web" }, spec });
      await stage.create(Pod, { metadata: { name: "over" }, spec });
      for (const name of ["web", "over"]) await stage.until(Pod, name, hasClaim);
      await stage.create(Pod, {
        metadata: { name: "lost" },
        spec: { ...spec, resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "none" }] },
      });
      await stage.checkpoint("made");
      await stage.of(Pod).status.patch("over", { merge: { status: { phase: "Failed" } } });
      await stage.none(ResourceClaim, ({ metadata }) => metadata.generateName === "over-gpu-");
    },
  },
  {
    name: "claims-reserved",
    async run(stage) {
      await stage.create(ResourceClaim, { metadata: { name: "shared" }, spec: { devices } });
      const spec = {
        containers,
        nodeSelector: { no: "node" },
        resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }],
      };
      await stage.create(Pod, { metadata: { name: "web" }, spec });
      const { metadata } = await stage.of(Pod).get("web");
      const claim = await stage.of(ResourceClaim).get("shared");
      const finalizers = ["resource.kubernetes.io/delete-protection"];
      const held = await stage.of(ResourceClaim).update({ ...claim, metadata: { ...claim.metadata, finalizers } });
      const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "x" }];
      const reservedFor = [
        { resource: "pods", name: "web", uid: metadata.uid ?? "" },
        { resource: "pods", name: "gone", uid: "12345678-1234-1234-1234-123456789012" },
      ];
      await stage
        .of(ResourceClaim)
        .status.update({ ...held, status: { allocation: { devices: { results } }, reservedFor } });
      await stage.until(ResourceClaim, "shared", (one) => one?.status?.reservedFor?.length === 1);
      await stage.checkpoint("reserved");
      await stage.of(Pod).delete("web");
      await stage.gone(Pod, "web");
      await stage.until(ResourceClaim, "shared", (one) => one?.status?.allocation === undefined);
    },
  },
  {
    name: "devices-tainted",
    async run(stage) {
      await publish(stage);
      await use(stage, "on-x", { device: "x" });
      await use(stage, "on-y", { device: "y" });
      await taint(stage, [{ key: "odd", effect: "NoSchedule" }]);
      await stage.checkpoint("running");
      await taint(stage, [bad]);
      await stage.gone(Pod, "on-x");
      await stage.until(ResourceClaim, "on-x", (one) => one?.status?.allocation === undefined);
    },
  },
  {
    name: "devices-tainted-for-a-while",
    async run(stage) {
      await publish(stage);
      await use(stage, "patient", { device: "x", tolerationSeconds: 600 });
      await use(stage, "hasty", { device: "x", tolerationSeconds: 0 });
      await taint(stage, [bad]);
      await stage.gone(Pod, "hasty");
      await stage.checkpoint("planned");
      await taint(stage, []);
    },
  },
  {
    name: "claims-for-extended-resources",
    async run(stage) {
      for (const name of ["over", "gone"]) {
        const pod = await asking(stage, name, gpu, "1");
        const made = await makeFor(stage, pod, 1);
        const { name: resourceClaimName } = made.metadata;
        const results = [{ request: "container-0-request-1", driver: "d.example.com", pool: "p", device: name }];
        const reservedFor = [{ resource: "pods", name, uid: pod.metadata.uid ?? "" }];
        await stage
          .of(ResourceClaim)
          .status.update({ ...made, status: { allocation: { devices: { results } }, reservedFor } });
        const requestMappings = [{ containerName: "c", resourceName: gpu, requestName: "container-0-request-1" }];
        const extendedResourceClaimStatus = { requestMappings, resourceClaimName };
        await stage.of(Pod).status.patch(name, { merge: { status: { extendedResourceClaimStatus } } });
      }
      await stage.checkpoint("made");
      await stage.of(Pod).status.patch("over", { merge: { status: { phase: "Failed" } } });
      await stage.gone(ResourceClaim, "over-extended");
      await stage.of(Pod).delete("gone");
      await stage.gone(ResourceClaim, "gone-extended");
    },
  },
  {
    name: "quotas-of-devices",
    async run(stage) {
      const { namespace: name } = stage;
      const implicit = `deviceclass.resource.kubernetes.io/${name}`;
      await stage.create(DeviceClass, { metadata: { name }, spec: { extendedResourceName: gpu } });
      const hard = {
        [`requests.${gpu}`]: "40",
        [`requests.${implicit}`]: "40",
        [`${name}.deviceclass.resource.k8s.io/devices`]: "40",
        "other.deviceclass.resource.k8s.io/devices": "1",
        "count/resourceclaims.resource.k8s.io": "5",
      };
      await stage.create(ResourceQuota, { metadata: { name: "devices" }, spec: { hard } });
      await stage.until(ResourceQuota, "devices", (quota) => quota?.status?.used !== undefined);
      const exactly = { deviceClassName: name, count: 2 };
      const alternatives = [
        { name: "all", deviceClassName: name, allocationMode: "All" as const },
        { name: "few", deviceClassName: name, count: 3 },
      ];
      const requests = [
        { name: "r", exactly },
        { name: "s", firstAvailable: alternatives },
      ];
      await stage.create(ResourceClaim, { metadata: { name: "own" }, spec: { devices: { requests } } });
      const pod = await asking(stage, "web", gpu, "2");
      await makeFor(stage, pod, 3);
      await asking(stage, "by-class", implicit, "1");
      await stage.checkpoint("charged");
      await stage.of(ResourceClaim).delete("own");
      await stage.of(Pod).delete("by-class");
    },
  },
];
