import { describe, expect, test } from "vitest";
import { patienceMs } from "../../../test/eventually.js";
import { type Container, type DeviceClass, Pod, type PodSpec, ResourceClaim, ResourceQuota } from "../../api/index.js";
import { startCluster } from "../../testing/cluster.js";
import { NodeInfo } from "../state/node-info.js";
import { podInfo } from "../state/pod-info.js";
import { type ExtendedClaim, extendedNeed, extendedOn, type ExtendedView, newestClass } from "./extended-resources.js";

const gpu = "example.com/gpu";
const nic = "example.com/nic";

const classOf = (name: string, creationTimestamp?: string): DeviceClass => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name, ...(creationTimestamp && { creationTimestamp }) },
  spec: {},
});

const view: ExtendedView = {
  classBehind: (resource) => (resource === gpu || resource === nic ? classOf(resource.slice(12)) : undefined),
  extendedClaim: () => undefined,
};

const container = (name: string, asks: Readonly<Record<string, string>>, more: Partial<Container> = {}): Container => ({
  name,
  image: "i",
  resources: { requests: asks },
  ...more,
});

function on(
  allocatable: Readonly<Record<string, string>>,
  spec: PodSpec,
  seen: ExtendedView = view,
): ExtendedClaim | string | undefined {
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default", uid: "u" }, spec };
  const need = extendedNeed(podInfo(pod), seen);
  const node = new NodeInfo("n");
  node.setNode({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { allocatable } });
  return need && extendedOn(need, node, seen);
}

const requestsOf = (claim: ExtendedClaim | string | undefined): readonly string[] =>
  typeof claim === "object"
    ? (claim.claim.spec.devices?.requests ?? []).map(
        ({ name, exactly }) => `${name} ${exactly?.deviceClassName} ${exactly?.count}`,
      )
    : [];
const mappingsOf = (claim: ExtendedClaim | string | undefined): readonly string[] =>
  typeof claim === "object"
    ? claim.mappings.map(
        ({ containerName, resourceName, requestName }) => `${containerName} ${resourceName} ${requestName}`,
      )
    : [];

describe("extended resources", () => {
  test("that no class provides need no devices", () => {
    expect(on({}, { containers: [container("c", { "example.com/other": "1", cpu: "1" })] })).toBeUndefined();
    expect(on({}, { containers: [container("c", { [gpu]: "0" })] })).toBeUndefined();
  });

  test("of the node itself are taken first", () => {
    const both = { containers: [container("c", { [gpu]: "2", [nic]: "1" })] };
    expect(on({ [gpu]: "4", [nic]: "4" }, both)).toBeUndefined();
    expect(requestsOf(on({ [gpu]: "4" }, both))).toEqual(["container-0-request-1 nic 1"]);
    expect(requestsOf(on({ [gpu]: "0" }, both))).toEqual([
      "container-0-request-0 gpu 2",
      "container-0-request-1 nic 1",
    ]);
    const other = { containers: [container("c", { [gpu]: "2", "example.com/other": "1" })] };
    expect(on({}, other)).toBe("cannot fit resource");
  });

  test("of init containers come from later containers, and what is missing from one request", () => {
    const claim = on(
      {},
      {
        initContainers: [
          container("one", { [gpu]: "4" }),
          container("side", { [gpu]: "1" }, { restartPolicy: "Always" }),
          container("two", { [gpu]: "5" }),
        ],
        containers: [container("c", { cpu: "1", [gpu]: "2" })],
      },
    );
    expect(requestsOf(claim)).toEqual([
      "container-1-request-0 gpu 1",
      "container-2-request-0 gpu 3",
      "container-3-request-1 gpu 2",
    ]);
    expect(mappingsOf(claim)).toEqual([
      `side ${gpu} container-1-request-0`,
      `c ${gpu} container-3-request-1`,
      `one ${gpu} container-1-request-0`,
      `one ${gpu} container-3-request-1`,
      `one ${gpu} container-2-request-0`,
      `two ${gpu} container-3-request-1`,
      `two ${gpu} container-2-request-0`,
    ]);
  });

  test("wait until the claim of an earlier attempt is gone", () => {
    const left = { ...view, extendedClaim: () => ({}) as ResourceClaim };
    expect(on({}, { containers: [container("c", { [gpu]: "1" })] }, left)).toBe(
      "cannot schedule extended resource claim",
    );
  });

  test("of several classes come from the newest, then from the first by name", () => {
    const old = classOf("a", "2026-01-01T00:00:00Z");
    const young = [classOf("c", "2026-01-02T00:00:00Z"), classOf("b", "2026-01-02T00:00:00Z")];
    expect(newestClass([old, ...young])?.metadata.name).toBe("b");
    expect(newestClass([])).toBeUndefined();
  });
});

test("pods get devices of simulated nodes by the name of their class, within their quota, and give them back", async () => {
  await using cluster = await startCluster({
    clock: "virtual",
    nodes: 1,
    devices: 2,
    controllers: ["resourceclaim-controller", "garbage-collector-controller", "resourcequota-controller"],
  });
  const { client, clock } = cluster;
  const namespace = "default";
  const resource = "deviceclass.resource.kubernetes.io/simulated";
  const quotas = client.resource(ResourceQuota, { namespace });
  await quotas.create({ metadata: { name: "q" }, spec: { hard: { [`requests.${resource}`]: "3" } } });
  const used = async (): Promise<unknown> => {
    await clock.advance(1_000);
    return (await quotas.get("q")).status?.used?.[`requests.${resource}`];
  };
  await expect.poll(used, { timeout: patienceMs }).toBe("0");
  const pods = client.resource(Pod, { namespace });
  const pod = (name: string) => {
    const resources = { requests: { [resource]: "1" }, limits: { [resource]: "1" } };
    return { metadata: { name }, spec: { containers: [{ name: "c", image: "i", resources }] } };
  };
  for (const name of ["p", "q", "r"]) await pods.create(pod(name));
  await expect(pods.create(pod("s"))).rejects.toThrow("exceeded quota: q");
  const phases = async (): Promise<readonly string[]> => {
    await clock.advance(2_000);
    return (await pods.list()).items.map(({ status }) => status?.phase ?? "").sort();
  };
  await expect.poll(phases, { timeout: patienceMs }).toEqual(["Pending", "Running", "Running"]);
  const claims = client.resource(ResourceClaim, { namespace });
  const [first] = (await claims.list()).items;
  const running = (await pods.list()).items.find(
    ({ status }) => status?.extendedResourceClaimStatus?.resourceClaimName === first?.metadata.name,
  );
  expect(running?.status?.extendedResourceClaimStatus?.requestMappings).toEqual([
    { containerName: "c", resourceName: resource, requestName: "container-0-request-0" },
  ]);
  expect(await used()).toBe("3");
  await pods.delete(running?.metadata.name ?? "", { gracePeriodSeconds: 0 });
  await expect.poll(phases, { timeout: patienceMs }).toEqual(["Running", "Running"]);
  await expect.poll(used, { timeout: patienceMs }).toBe("2");
  expect((await claims.list()).items.map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
});
