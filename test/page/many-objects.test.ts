/** The views of objects in a browser, of a process with 100,000 pods on 1,000 nodes in its caches. */
import { expect, onTestFinished, test } from "vitest";
import { type KubeObject, Node, Pod, ReplicaSet, type ResourceType } from "../../src/api/index.js";
import { type ShownInformer } from "../../src/dashboard/index.js";
import { Indexer, namespaceIndex, namespaceIndexFunction } from "../../src/informer/index.js";
import { startCluster } from "../../src/testing/index.js";
import { shown } from "./browser.js";
import { describeInBrowser, servePage } from "./rig.js";
import { workOf, workText } from "./work.js";

const pods = 100_000;
const nodes = 1_000;
/** The last node of those by name, so that it is seen only if trouble comes first. */
const sick = nodes - 1;

const podOf = (i: number, owner: string): KubeObject => {
  const status = i % nodes === sick ? "False" : "True";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${i}`,
      namespace: "default",
      uid: `pod-${i}`,
      resourceVersion: "1",
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: owner, controller: true }],
    },
    spec: { nodeName: `node-${i % nodes}` },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status }],
      ...(status === "False" && { containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff" } } }] }),
    },
  } as KubeObject;
};

const nodeOf = (i: number): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${i}`, uid: `node-${i}`, resourceVersion: "1" },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  }) as KubeObject;

function informerOf(type: ResourceType, name: string, objects: readonly KubeObject[]): ShownInformer {
  const indexer = new Indexer<KubeObject>({ indexers: { [namespaceIndex]: namespaceIndexFunction } });
  indexer.replace(objects, "1");
  const state = { hasSynced: true, queued: 0, handlers: [], estimatedBytes: 0, reflector: undefined };
  const informer = { ...state, name, type, indexer, lastStoreSyncResourceVersion: "1" };
  return { cluster: "", informer: informer as unknown as ShownInformer["informer"] };
}

describeInBrowser("of 100,000 objects", ({ browser, look }) => {
  test("the map draws the ones in trouble and counts the others, and a family is shown in part", async () => {
    await using cluster = await startCluster();
    const selector = { matchLabels: { app: "web" } };
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx" }] } };
    const owner = await cluster.client
      .resource(ReplicaSet, { namespace: "default" })
      .create({ metadata: { name: "web" }, spec: { replicas: 0, selector, template } });
    const { uid = "" } = owner.metadata;
    const informers = [
      informerOf(
        Pod,
        "v1/pods",
        Array.from({ length: pods }, (_, i) => podOf(i, uid)),
      ),
      informerOf(
        Node,
        "v1/nodes",
        Array.from({ length: nodes }, (_, i) => nodeOf(i)),
      ),
    ];
    const served = await servePage({ informers: () => informers, client: () => cluster.client });
    onTestFinished(() => served.close());
    const tab = await look(served.url);
    const work = await workOf(browser(), tab, async () => {
      await tab.goto(`${served.url}#/cluster`);
      await shown(tab, `[aria-label="node node-${sick}"]`, "100");
      await shown(tab, ".node", "all 100 run");
      await shown(tab, ".troubled", "CrashLoopBackOff");
      await shown(tab, ".note", "and 700 more nodes");
      expect(await tab.locator(".node").count()).toBe(300);
      expect(await tab.locator(".node .pod").count()).toBeLessThan(3_000);
    });
    process.stdout.write(`the map of 100,000 pods: ${workText(work, 1)}\n`);
    const why = await workOf(browser(), tab, async () => {
      await tab.goto(`${served.url}#/why?kind=ReplicaSet&name=web`);
      await shown(tab, ".branch", `and ${pods - 100} more`);
      expect(await tab.locator(".branch .branch a").count()).toBe(100);
    });
    process.stdout.write(`the family of 100,000 pods: ${workText(why, 1)}\n`);
  });
});
