/** Addresses of services on the embedded server: from several ranges, and of both families. */
import { expect, test } from "vitest";
import { IPAddress, Service, ServiceCIDR } from "../../src/api/index.js";
import { Client } from "../../src/client/index.js";
import { startCluster, startTestServer } from "../../src/testing/cluster.js";
import { patienceMs } from "../eventually.js";

const namespace = "default";
const ports = [{ port: 80 }];

test("a range that is ready gives addresses when the server's own is full, and stays while one is in use", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["service-cidr"] });
  const { client, clock } = cluster;
  const services = client.resource(Service, { namespace });
  const ranges = client.resource(ServiceCIDR);
  const clusterIP = "192.168.5.3";
  await expect(services.create({ metadata: { name: "early" }, spec: { clusterIP, ports } })).rejects.toThrow(
    "failed to allocate IP 192.168.5.3: the provided network does not match the current range",
  );
  await ranges.create({ metadata: { name: "more" }, spec: { cidrs: ["192.168.5.0/29"] } });
  const condition = async (): Promise<string | undefined> => {
    await clock.advance(1_000);
    const { status } = (await ranges.getOrUndefined("more")) ?? {};
    return status?.conditions?.map(({ status: value, message }) => `${value} ${message}`).join();
  };
  await expect.poll(condition, { timeout: patienceMs }).toBe("True Kubernetes Service CIDR is ready");
  await services.create({ metadata: { name: "web" }, spec: { clusterIP, ports } });
  expect((await client.resource(IPAddress).get(clusterIP)).spec?.parentRef).toMatchObject({ name: "web" });
  await ranges.delete("more");
  await expect.poll(condition, { timeout: patienceMs }).toMatch(/^False There are still IPAddresses/);
  await services.delete("web");
  await expect.poll(condition, { timeout: patienceMs }).toBe(undefined);
});

test("a full range of the server is followed by a ready one", async () => {
  await using server = await startTestServer({ serviceNetwork: { cidr: "10.0.0.0/30" } });
  const client = new Client({ transport: server.transport() });
  const services = client.resource(Service, { namespace });
  await services.create({ metadata: { name: "a" }, spec: { ports } });
  await expect(services.create({ metadata: { name: "b" }, spec: { ports } })).rejects.toThrow("range is full");
  const more = await client
    .resource(ServiceCIDR)
    .create({ metadata: { name: "more" }, spec: { cidrs: ["10.9.0.0/29"] } });
  const condition = {
    type: "Ready",
    status: "True",
    reason: "",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const conditions = [condition as NonNullable<NonNullable<ServiceCIDR["status"]>["conditions"]>[number]];
  await client.resource(ServiceCIDR).status.update({ ...more, status: { conditions } });
  const made = await services.create({ metadata: { name: "b" }, spec: { ports } });
  expect(made.spec?.clusterIP).toMatch(/^10\.9\.0\.[1-6]$/);
});

test("with two ranges a service has an address of each family that it asks for", async () => {
  await using server = await startTestServer({ serviceNetwork: { cidr: "10.96.0.0/16,fd00:10:96::/112" } });
  const client = new Client({ transport: server.transport() });
  const services = client.resource(Service, { namespace });
  const create = async (name: string, spec: object) => {
    const { spec: made = {} } = await services.create({ metadata: { name }, spec: { ports, ...spec } });
    const { ipFamilies = [], ipFamilyPolicy, clusterIPs = [], clusterIP = "" } = made;
    expect(clusterIPs[0]).toBe(clusterIP);
    return [ipFamilyPolicy, ...ipFamilies, ...clusterIPs.map((one) => one.replace(/[^.:]+$/, "~"))].join(" ");
  };
  expect(await create("plain", {})).toMatch(/^SingleStack IPv4 10\.96\.\d+\.~$/);
  expect(await create("six", { ipFamilies: ["IPv6"] })).toBe("SingleStack IPv6 fd00:10:96::~");
  expect(await create("both", { ipFamilyPolicy: "RequireDualStack" })).toMatch(
    /^RequireDualStack IPv4 IPv6 10\.96\.\d+\.~ fd00:10:96::~$/,
  );
  expect(await create("prefers", { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6", "IPv4"] })).toMatch(
    /^PreferDualStack IPv6 IPv4 fd00:10:96::~ 10\.96\.\d+\.~$/,
  );
  expect(await create("asks", { ipFamilyPolicy: "PreferDualStack", clusterIP: "fd00:10:96::77" })).toMatch(
    /^PreferDualStack IPv6 IPv4 fd00:10:96::~ 10\.96\.\d+\.~$/,
  );
  expect((await client.resource(ServiceCIDR).get("kubernetes")).spec?.cidrs).toEqual([
    "10.96.0.0/16",
    "fd00:10:96::/112",
  ]);
  const labels = (await client.resource(IPAddress).get("fd00:10:96::77")).metadata.labels;
  expect(labels?.["ipaddress.kubernetes.io/ip-family"]).toBe("IPv6");
  // and back to one family: the second address is free again
  const both = await services.get("both");
  const [first, second = ""] = both.spec?.clusterIPs ?? [];
  const single = await services.patch("both", { merge: { spec: { ipFamilyPolicy: "SingleStack" } } });
  expect(single.spec).toMatchObject({ clusterIPs: [first], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
  expect(await client.resource(IPAddress).getOrUndefined(second)).toBe(undefined);
  const upgraded = await services.patch("both", { merge: { spec: { ipFamilyPolicy: "PreferDualStack" } } });
  expect(upgraded.spec?.clusterIPs).toHaveLength(2);
  expect(upgraded.spec?.clusterIPs?.[0]).toBe(first);
});
