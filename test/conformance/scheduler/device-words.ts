/** Short functions for devices and their claims in scheduling scenarios. */
import {
  type Device,
  type DeviceClaim,
  DeviceClass,
  type DeviceClassSpec,
  type DeviceRequest,
  type ExactDeviceRequest,
  type PodSpec,
  ResourceClaim,
  ResourceSlice,
  type ResourceSliceSpec,
} from "../../../src/api/index.js";
import { pod, type Step } from "./scenario.js";

export const driver = "gpu.example.com";

export const slice =
  (name: string, spec: Partial<ResourceSliceSpec>): Step =>
  async ({ client }) => {
    const pool = { name: spec.nodeName ?? "shared", generation: 1, resourceSliceCount: 1 };
    await client.resource(ResourceSlice).create({ metadata: { name }, spec: { driver, pool, ...spec } });
  };

/** A slice of a node. */
export const devices = (nodeName: string, ...list: readonly Device[]): Step =>
  slice(`slice-${nodeName}`, { nodeName, devices: list });

export const device = (
  name: string,
  attributes: Readonly<Record<string, string | number | boolean>> = {},
  more: Partial<Device> = {},
): Device => ({
  name,
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === "number" ? { int: value } : typeof value === "boolean" ? { bool: value } : { string: value },
    ]),
  ),
  ...more,
});

export const deviceClass =
  (name: string, spec: DeviceClassSpec = {}): Step =>
  async ({ client }) => {
    await client.resource(DeviceClass).create({ metadata: { name }, spec });
  };

export const cel = (...expressions: readonly string[]) => expressions.map((expression) => ({ cel: { expression } }));

export const deviceClaim =
  (name: string, spec: DeviceClaim): Step =>
  async ({ client }) => {
    await client
      .resource(ResourceClaim, { namespace: "default" })
      .create({ metadata: { name }, spec: { devices: spec } });
  };

export const asks = (exactly: Partial<ExactDeviceRequest> = {}, name = "r"): DeviceRequest => ({
  name,
  exactly: { deviceClassName: "gpu", ...exactly },
});

export const simpleClaim = (name: string, exactly: Partial<ExactDeviceRequest> = {}): Step =>
  deviceClaim(name, { requests: [asks(exactly)] });

export const withClaims = (...claims: readonly string[]): Partial<PodSpec> => ({
  resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })),
});

export const user = (name: string, ...claims: readonly string[]): Step => pod(name, { spec: withClaims(...claims) });

/** A taint or toleration is wide here, because scenarios state only the parts that matter. */
export const noSchedule = { key: "broken", effect: "NoSchedule" } as const;

export const setDevices =
  (nodeName: string, ...list: readonly Device[]): Step =>
  async ({ client }) => {
    const slices = client.resource(ResourceSlice);
    const known = await slices.get(`slice-${nodeName}`);
    await slices.update({ ...known, spec: { ...known.spec, devices: list } });
  };

/** What the claim controller does after the last pod of a claim. */
export const free =
  (name: string): Step =>
  async ({ client }) => {
    const claims = client.resource(ResourceClaim, { namespace: "default" });
    const { status: _, ...known } = await claims.get(name);
    await claims.status.update({ ...known, status: {} });
  };
