/** Scenarios of claims of devices. */
import { Pod, ResourceClaim, ResourceClaimTemplate } from "../../../../../src/api/index.js";
import type { Scenario } from "../../scenario.js";

const containers = [{ name: "c", image: "one" }];
const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
const hasClaim = (pod: Pod | undefined): boolean => (pod?.status?.resourceClaimStatuses ?? []).length > 0;

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
];
