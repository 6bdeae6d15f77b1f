/** Many nodes and pods in one process: everything runs, is spread, and no pod has a timer of its own. */
import { expect, test } from "vitest";
import { Deployment, Node, Pod } from "../../src/api/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { namespace, template } from "./whole-cluster.js";

const full = process.env["COXSWAIN_FULL"] === "1";
const nodeCount = full ? 1_000 : 100;
const podsPerSet = 100;
const sets = full ? 100 : 2;
const podCount = sets * podsPerSet;

const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

test(`${podCount} pods run on ${nodeCount} nodes, evenly, without a timer for each`, async () => {
  await using cluster = await startCluster({ nodes: nodeCount, controllers: ["deployment", "replicaset"] });
  const { client } = cluster;
  const fits = (node: Node | undefined): boolean => (node?.spec?.taints ?? []).length === 0;
  for (let index = 1; index <= nodeCount; index++) await client.resource(Node).waitFor(`node-${index}`, fits);
  const before = timers();
  const names = Array.from({ length: sets }, (_, index) => `set-${index}`);
  const stop = new AbortController();
  const running = new Set<string>();
  const all = (async () => {
    const pods = client.resource(Pod, { namespace });
    const { metadata } = await pods.list();
    const resourceVersion = metadata?.resourceVersion ?? "";
    for await (const event of pods.watch({ resourceVersion, signal: stop.signal })) {
      if (event.type === "MODIFIED" && event.object.status?.phase === "Running")
        running.add(event.object.metadata.name);
      if (running.size === podCount) return;
    }
  })();
  await Promise.all(
    names.map((name) =>
      client.resource(Deployment, { namespace }).create({
        metadata: { name },
        spec: {
          replicas: podsPerSet,
          selector: { matchLabels: { app: name } },
          template: template(name, "web:1"),
        },
      }),
    ),
  );
  await all;
  stop.abort();
  expect(timers() - before).toBeLessThan(100);
  const perNode = new Map<string, number>();
  for (const { spec } of (await client.resource(Pod, { namespace }).list()).items)
    perNode.set(spec?.nodeName ?? "", (perNode.get(spec?.nodeName ?? "") ?? 0) + 1);
  // of many nodes only some are looked at for each pod, so even is not equal
  expect(Math.max(...perNode.values())).toBeLessThanOrEqual(2 * Math.ceil(podCount / nodeCount));
  expect(perNode.size).toBeGreaterThan(nodeCount * 0.9);
  expect((await client.resource(Node).list()).items).toHaveLength(nodeCount);
});
