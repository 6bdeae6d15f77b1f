import { describe, expect, test } from "vitest";
import {
  type Device,
  type DeviceClaim,
  type DeviceClass,
  type Node,
  Pod,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  type ResourceSliceSpec,
} from "../../api/index.js";
import { patienceMs } from "../../../test/eventually.js";
import { startCluster } from "../../testing/cluster.js";
import { AllocatedDevices } from "./allocated.js";
import { allocate, type AllocationView } from "./allocate.js";
import { poolIdOf } from "./pools.js";
import { allocationOf } from "./result.js";

const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
const driver = "d.example.com";
const gpu: DeviceClass = {
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name: "gpu" },
  spec: {},
};

const slice = (devices: readonly Device[], more: Partial<ResourceSliceSpec> = {}): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: `s-${devices[0]?.name}` },
  spec: { driver, nodeName: "n", pool: { name: "n", generation: 1, resourceSliceCount: 1 }, devices, ...more },
});

/** Selectors are names of devices here. */
function viewOf(slices: readonly ResourceSlice[], inUse = new AllocatedDevices()): AllocationView {
  return {
    inUse,
    deviceClass: (name) => (name === "gpu" ? gpu : undefined),
    selector: (expression) => (_, device) => expression.split(",").includes(device.name),
    onNode: (name) => slices.filter(({ spec }) => spec.nodeName === name && spec.sharedCounters === undefined),
    shared: () => slices.filter(({ spec }) => spec.nodeName === undefined || spec.sharedCounters !== undefined),
    ofPool: (id) => slices.filter((one) => poolIdOf(one) === id),
  };
}

const claimOf = (devices: DeviceClaim): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c", namespace: "default", uid: "u" },
  spec: { devices },
});
const asks = (name: string, more: object = {}) => ({ name, exactly: { deviceClassName: "gpu", ...more } });
const named = (names: string) => ({ selectors: [{ cel: { expression: names } }] });

function found(
  slices: readonly ResourceSlice[],
  devices: DeviceClaim,
  inUse?: AllocatedDevices,
): readonly string[] | string {
  const result = allocate([claimOf(devices)], node, viewOf(slices, inUse));
  if (typeof result === "string") return result;
  return result.flatMap(({ given }) => given.map(({ one }) => one.device.name));
}

const abc = ["a", "b", "c"].map((name): Device => ({ name }));
const none = "cannot allocate all claims";

describe("the devices of a claim", () => {
  test.each([
    ["are the first that match", [asks("r")], ["a"]],
    ["are taken in order", [asks("r", { count: 2 })], ["a", "b"]],
    ["may be too few", [asks("r", { count: 4 })], none],
    ["are all that match", [asks("r", { allocationMode: "All", ...named("b,c") })], ["b", "c"]],
    // the first request has to give way to the second
    ["are found by going back", [asks("r"), asks("s", named("a"))], ["b", "a"]],
    [
      "are those of the first alternative that works",
      [
        {
          name: "r",
          firstAvailable: [
            { name: "x", deviceClassName: "gpu", count: 4 },
            { name: "y", deviceClassName: "gpu", ...named("c") },
          ],
        },
      ],
      ["c"],
    ],
  ])("%s", (_, requests, expected) => {
    expect(found([slice(abc)], { requests })).toEqual(expected);
  });

  test("are not those that others hold", () => {
    const inUse = new AllocatedDevices();
    const results = [{ request: "r", driver, pool: "n", device: "a" }];
    inUse.set("other", { devices: { results } });
    expect(found([slice(abc)], { requests: [asks("r")] }, inUse)).toEqual(["b"]);
    inUse.set("other", undefined);
    expect(found([slice(abc)], { requests: [asks("r")] }, inUse)).toEqual(["a"]);
  });

  test("have the same attribute if the claim says so", () => {
    const rack = (name: string, int: number): Device => ({ name, attributes: { rack: { int } } });
    const constraints = [{ matchAttribute: `${driver}/rack` }];
    const devices = [rack("a", 1), rack("b", 2), rack("c", 2)];
    expect(found([slice(devices)], { requests: [asks("r", { count: 2 })], constraints })).toEqual(["b", "c"]);
  });

  test("share counters", () => {
    const part = (name: string, value: string): Device => ({
      name,
      consumesCounters: [{ counterSet: "s", counters: { memory: { value } } }],
    });
    const pool = { name: "n", generation: 1, resourceSliceCount: 2 };
    const counters = slice([], { pool, sharedCounters: [{ name: "s", counters: { memory: { value: "4" } } }] });
    const parts = slice([part("a", "3"), part("b", "2"), part("c", "2")], { pool });
    expect(found([counters, parts], { requests: [asks("r", { count: 2 })] })).toEqual(["b", "c"]);
    expect(found([parts], { requests: [asks("r")] })).toBe(none);
  });

  test("do not come from a pool with one name twice", () => {
    const pool = { name: "n", generation: 1, resourceSliceCount: 2 };
    const twice = [slice([{ name: "a" }], { pool }), slice([{ name: "a" }], { pool })];
    expect(found(twice, { requests: [asks("r")] })).toBe("invalid resource pools were encountered");
  });

  test("are shares of one device, each with an id and its capacity", () => {
    const wide = { name: "a", allowMultipleAllocations: true, capacity: { lanes: { value: "3" } } };
    const claims = [claimOf({ requests: [asks("r", { count: 1, capacity: { requests: { lanes: "2" } } })] })];
    const view = viewOf([slice([wide])]);
    const result = allocate(claims, node, view);
    if (typeof result === "string") throw new Error(result);
    const [first] = result;
    const allocation = allocationOf(first as NonNullable<typeof first>, { node: "n", newShareId: () => "id" });
    expect(allocation.devices?.results).toEqual([
      { request: "r", driver, pool: "n", device: "a", shareID: "id", consumedCapacity: { lanes: "2" } },
    ]);
    expect(allocation.nodeSelector?.nodeSelectorTerms[0]?.matchFields?.[0]?.values).toEqual(["n"]);
    const inUse = new AllocatedDevices();
    inUse.set("u", allocation);
    expect(found([slice([wide])], claims[0]?.spec.devices ?? {}, inUse)).toBe(none);
  });

  test("are searched for a bounded time", () => {
    const rack = Array.from({ length: 60 }, (_, i): Device => ({ name: `d${i}`, attributes: { i: { int: i } } }));
    const constraints = [{ requests: ["s"], matchAttribute: `${driver}/i` }];
    const requests = [asks("r", { count: 20 }), asks("s", { count: 2 })];
    expect(() => found([slice(rack)], { requests, constraints })).toThrow(
      "node n: timed out trying to allocate devices",
    );
  });

  test("cannot be found for a class that is gone", () => {
    const requests = [{ name: "r", exactly: { deviceClassName: "none" } }];
    expect(() => found([slice(abc)], { requests })).toThrow(
      "claim default/c, request r: could not retrieve device class none",
    );
  });
});

test("pods with a template get devices of simulated nodes, until there are none left", async () => {
  await using cluster = await startCluster({
    clock: "virtual",
    nodes: 1,
    devices: 2,
    controllers: ["resourceclaim-controller", "garbage-collector-controller"],
  });
  const { client, clock } = cluster;
  const namespace = "default";
  const devices = { requests: [asks("r", { deviceClassName: "simulated" })] };
  await client
    .resource(ResourceClaimTemplate, { namespace })
    .create({ metadata: { name: "one" }, spec: { spec: { devices } } });
  const pods = client.resource(Pod, { namespace });
  for (const name of ["p", "q", "r"]) {
    await pods.create({
      metadata: { name },
      spec: {
        containers: [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }],
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }],
      },
    });
  }
  const phases = async (): Promise<readonly string[]> => {
    await clock.advance(2_000);
    return (await pods.list()).items.map(({ status }) => status?.phase ?? "").sort();
  };
  await expect.poll(phases, { timeout: patienceMs }).toEqual(["Pending", "Running", "Running"]);
  const held = (await client.resource(ResourceClaim, { namespace }).list()).items.flatMap(
    ({ status }) => status?.allocation?.devices?.results?.map(({ device }) => device) ?? [],
  );
  expect(held.sort()).toEqual(["device-0", "device-1"]);
  expect(await client.resource(ResourceSlice).list()).toMatchObject({ items: [{ spec: { nodeName: "node-1" } }] });
  const [running] = (await pods.list()).items.filter(({ status }) => status?.phase === "Running");
  await pods.delete(running?.metadata.name ?? "", { gracePeriodSeconds: 0 });
  await expect.poll(phases, { timeout: patienceMs }).toEqual(["Running", "Running"]);
});
