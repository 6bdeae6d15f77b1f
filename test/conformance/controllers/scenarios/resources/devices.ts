/** Scenarios of claims of devices. */
import {
  type DeviceTaint,
  Pod,
  ResourceClaim,
  ResourceClaimTemplate,
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
];
