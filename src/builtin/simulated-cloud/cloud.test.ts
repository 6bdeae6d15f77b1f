import { expect, test } from "vitest";
import { patienceMs } from "../../../test/eventually.js";
import { findCondition, Node } from "../../api/index.js";
import { startSimulatedNodes } from "../../machines/index.js";
import { startCluster } from "../../testing/cluster.js";
import { addressesOf, initialized, isInCloud } from "./cloud.js";

const bare = (name: string, more: Partial<Node> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  ...more,
});

test("a machine has the same id, zone and address each time, and keeps those that it has", () => {
  const node = initialized(bare("n", { spec: { taints: [{ key: "own", effect: "NoSchedule" }] } }));
  expect(initialized(bare("n"))).toEqual({ ...node, spec: { providerID: "simulated://simulated/n" } });
  expect(node.spec?.taints).toEqual([{ key: "own", effect: "NoSchedule" }]);
  const placed = initialized({
    ...bare("n", { spec: { providerID: "other://1" } }),
    metadata: { name: "n", labels: { "topology.kubernetes.io/zone": "here" } },
  });
  expect(placed.spec?.providerID).toBe("other://1");
  expect(placed.metadata.labels).toMatchObject({ "failure-domain.beta.kubernetes.io/zone": "here" });
  expect(isInCloud(placed)).toBe(false);
  const at = (address: string) =>
    addressesOf(bare("n", { status: { addresses: [{ type: "InternalIP", address }] } })).at(-1);
  expect(at("10.0.7.9")).toEqual({ type: "ExternalIP", address: "198.18.7.9" });
  expect(at("fd00::1")).toEqual(at("fd00::2"));
});

test("a simulated cloud completes nodes, gives them routes, marks those that are off, and deletes those that are gone", async () => {
  await using cluster = await startCluster({
    clock: "virtual",
    nodes: 1,
    controllers: [
      "cloud-node-controller",
      "cloud-node-lifecycle-controller",
      "node-route-controller",
      "node-lifecycle-controller",
    ],
  });
  const { client, clock, events } = cluster;
  const nodes = client.resource(Node);
  // the cluster plays the node; here it is only registered
  await using registered = startSimulatedNodes({ client, clock, nodes: 2, cloud: true });
  await registered.started;
  await registered[Symbol.asyncDispose]();
  const later = async (name: string): Promise<Node | undefined> => {
    await clock.advance(5_000);
    return nodes.getOrUndefined(name);
  };
  const reaches = (name: string, test: (node: Node | undefined) => boolean): Promise<void> =>
    expect.poll(async () => test(await later(name)), { timeout: patienceMs }).toBe(true);
  const annotate = async (annotations: Readonly<Record<string, string | null>>): Promise<void> => {
    await nodes.patch("node-2", { merge: { metadata: { annotations } } });
  };
  const isReady = (node: Node | undefined): boolean =>
    findCondition(node?.status?.conditions, "Ready")?.status === "True";
  const taintsOf = (node: Node | undefined): readonly string[] => (node?.spec?.taints ?? []).map(({ key }) => key);

  await reaches("node-2", (node) => isReady(node) && taintsOf(node).length === 0);
  await reaches("node-2", (node) => node?.status?.addresses?.some(({ type }) => type === "ExternalIP") ?? false);
  await reaches(
    "node-2",
    (node) => findCondition(node?.status?.conditions, "NetworkUnavailable")?.reason === "RouteCreated",
  );
  const { spec, metadata } = await nodes.get("node-2");
  expect(spec?.providerID).toBe("simulated://simulated/node-2");
  expect(metadata.labels).toMatchObject({
    "node.kubernetes.io/instance-type": "simulated",
    "topology.kubernetes.io/region": "simulated",
  });
  // a node that did not ask for a cloud is left alone
  expect((await nodes.get("node-1")).spec?.providerID).toBeUndefined();

  const shutdown = "node.cloudprovider.kubernetes.io/shutdown";
  await annotate({ "coxswain.dev/power": "off" });
  await reaches("node-2", (node) => taintsOf(node).includes(shutdown));
  await annotate({ "coxswain.dev/power": null });
  await reaches("node-2", (node) => isReady(node) && !taintsOf(node).includes(shutdown));
  await annotate({ "coxswain.dev/machine": "gone" });
  await reaches("node-2", (node) => node === undefined);
  expect(events).toEqual(
    expect.arrayContaining([
      "Node node-2 Synced Node synced successfully",
      "Node node-2 DeletingNode Deleting node node-2 because it does not exist in the cloud provider",
    ]),
  );
});
