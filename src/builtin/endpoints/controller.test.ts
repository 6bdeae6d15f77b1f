import { expect, test } from "vitest";
import { EndpointSlice, Service } from "../../api/index.js";
import { startCluster } from "../../testing/cluster.js";

const namespace = "default";

test("a slice that somebody else made in the controller's name goes, and one that somebody changed is put right", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["endpointslice"] });
  const slices = cluster.client.resource(EndpointSlice, { namespace });
  const labels = {
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
  };
  const ofWeb = async (): Promise<readonly EndpointSlice[]> =>
    (await slices.list({ labelSelector: "kubernetes.io/service-name=web" })).items;
  await cluster.client
    .resource(Service, { namespace })
    .create({ metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
  await cluster.clock.pass(5_000);
  const [own] = await ofWeb();
  await slices.create({ metadata: { name: "stray", labels }, addressType: "IPv4", endpoints: [] });
  await cluster.clock.pass(5_000);
  expect((await ofWeb()).map(({ metadata }) => metadata.name)).toEqual([own?.metadata.name]);

  await slices.patch(own?.metadata.name ?? "", { merge: { endpoints: [{ addresses: ["10.9.9.9"] }] } });
  await cluster.clock.pass(5_000);
  expect((await ofWeb()).flatMap(({ endpoints = [] }) => endpoints)).toEqual([]);
});

test("a slice that cannot be deleted at first keeps no other from going, and goes later", async () => {
  let refusals = 0;
  await using cluster = await startCluster({
    clock: "virtual",
    controllers: ["endpointslice"],
    faults: ({ method }) => (method === "DELETE" && refusals++ === 0 ? { type: "answer", code: 500 } : undefined),
  });
  const slices = cluster.client.resource(EndpointSlice, { namespace });
  const labels = {
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
  };
  for (const name of ["old-1", "old-2", "old-3"]) {
    await slices.create({ metadata: { name, labels }, addressType: "IPv6", endpoints: [], ports: [] });
  }
  const ports = [{ port: 80 }];
  await cluster.client.resource(Service, { namespace }).create({
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports },
  });
  const left = async (): Promise<number> =>
    (await slices.list()).items.filter(({ addressType }) => addressType === "IPv6").length;
  await cluster.clock.pass(10_000);
  expect([await left(), refusals]).toEqual([0, 4]);
});
