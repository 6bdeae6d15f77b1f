/** Scenarios of pods whose nodes change: taints, lost power, deletion. Each has two nodes of its own. */
import { Node, Pod } from "../../../../src/api/index.js";
import type { Scenario } from "../scenario.js";
import type { OwnNode } from "../side.js";
import { isTrue } from "./shapes.js";

/** A pod for this scenario's node, with further tolerations. */
const pod = (name: string, owner: OwnNode, node: string, tolerations: readonly object[] = []) => ({
  metadata: { name, labels: { app: "a" } },
  spec: {
    terminationGracePeriodSeconds: 1,
    nodeSelector: { own: owner, "kubernetes.io/hostname": node },
    tolerations: [{ key: "own", operator: "Exists" as const }, ...tolerations],
    containers: [{ name: "c", image: "one" }],
  },
});

const runs = (one: Pod | undefined): boolean => isTrue(one, "Ready");

const taints = (owner: OwnNode, ...more: readonly object[]) => ({
  strategic: { spec: { taints: [{ key: "own", value: owner, effect: "NoSchedule" }, ...more] } },
});

export const nodes: readonly Scenario[] = [
  {
    name: "eviction-by-taint",
    nodes: true,
    ownNodes: "evictions",
    async run(stage) {
      const tolerates = (tolerationSeconds: number | undefined) => [
        { key: "bad", operator: "Exists", effect: "NoExecute", ...(tolerationSeconds && { tolerationSeconds }) },
      ];
      await stage.create(Pod, pod("leaves", "evictions", "node-6"));
      await stage.create(Pod, pod("waits", "evictions", "node-6", tolerates(2)));
      await stage.create(Pod, pod("stays", "evictions", "node-6", tolerates(undefined)));
      await stage.create(Pod, pod("pardoned", "evictions", "node-6", tolerates(30)));
      await stage.create(Pod, pod("departs", "evictions", "node-6", tolerates(30)));
      const { metadata, spec } = pod("finished", "evictions", "node-6");
      const annotations = { "coxswain.dev/run-for": "1ms" };
      await stage.create(Pod, { metadata: { ...metadata, annotations }, spec: { ...spec, restartPolicy: "Never" } });
      for (const name of ["leaves", "waits", "stays", "pardoned", "departs"]) await stage.until(Pod, name, runs);
      await stage.until(Pod, "finished", (one) => one?.status?.phase === "Succeeded");
      await stage.of(Node).patch("node-6", taints("evictions", { key: "bad", effect: "NoExecute" }));
      await stage.gone(Pod, "leaves");
      await stage.gone(Pod, "waits");
      await stage.of(Pod).delete("departs");
      await stage.gone(Pod, "departs");
      await stage.checkpoint("evicted");
      await stage
        .of(Node)
        .patch("node-6", { strategic: { spec: { taints: [{ $patch: "delete", key: "bad", effect: "NoExecute" }] } } });
    },
  },
  {
    name: "node-lost",
    nodes: true,
    ownNodes: "losses",
    async run(stage) {
      const soon = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 3 });
      const tolerations = [soon("node.kubernetes.io/not-ready"), soon("node.kubernetes.io/unreachable")];
      await stage.create(Pod, pod("short", "losses", "node-8", tolerations));
      await stage.create(Pod, pod("long", "losses", "node-8"));
      for (const name of ["short", "long"]) await stage.until(Pod, name, runs);
      await stage.of(Node).patch("node-8", { merge: { metadata: { annotations: { "coxswain.dev/power": "off" } } } });
      await stage.until(Pod, "short", (one) => one?.metadata.deletionTimestamp !== undefined);
      await stage.checkpoint("lost");
      await stage.of(Node).patch("node-8", { merge: { metadata: { annotations: { "coxswain.dev/power": null } } } });
      await stage.gone(Pod, "short");
      await stage.until(Pod, "long", runs);
      await stage.until(Node, "node-8", (node) => node?.spec?.taints?.length === 1);
    },
  },
  {
    name: "node-deleted",
    nodes: true,
    ownNodes: "orphans",
    async run(stage) {
      await stage.create(Pod, pod("orphan", "orphans", "node-10"));
      await stage.until(Pod, "orphan", runs);
      const { metadata, spec } = await stage.of(Node).get("node-10");
      await stage.of(Node).delete("node-10");
      await stage.gone(Pod, "orphan");
      await stage.checkpoint("collected");
      const { name, labels = {} } = metadata;
      await stage.of(Node).create({ metadata: { name, labels }, spec: { podCIDR: spec?.podCIDR ?? "" } });
      // nodes are looked at every five seconds
      await stage.pause(7_000);
    },
  },
  {
    name: "node-ranges",
    nodes: true,
    ownNodes: "ranges",
    async run(stage) {
      const node = (name: string, spec: object = {}) =>
        stage.create(Node, { metadata: { name, labels: { own: "ranges" } }, spec });
      const ranged = (one: Node | undefined): boolean => one?.spec?.podCIDRs?.length === 2;
      await node("range-own", { podCIDRs: ["10.200.0.0/24", "fd00:10:244:3::/64"] });
      for (const name of ["range-1", "range-2", "range-3"]) {
        await node(name);
        await stage.until(Node, name, ranged);
      }
      // nodes are looked at every five seconds
      await stage.pause(7_000);
      await stage.checkpoint("given");
      // there is none left, until one is free again
      await node("range-late");
      await stage.pause(7_000);
      await stage.of(Node).delete("range-2");
      await stage.until(Node, "range-late", ranged);
    },
  },
];
