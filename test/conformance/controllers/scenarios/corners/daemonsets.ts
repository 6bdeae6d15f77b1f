/** Corner cases of DaemonSets: stalled updates, unwanted nodes, taken names, cut histories. */
import {
  ControllerRevision,
  DaemonSet,
  type DaemonSetSpec,
  Node,
  Pod,
  type Taint,
} from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { hasDaemons, selector, template, type TemplateOptions } from "../shapes.js";

const daemons = (spec: Partial<DaemonSetSpec> = {}, options: TemplateOptions = {}, own = "corners") => ({
  metadata: { name: "agent" },
  spec: {
    selector,
    template: template({
      ...options,
      spec: { nodeSelector: { own }, tolerations: [{ key: "own", operator: "Exists" as const }], ...options.spec },
    }),
    ...spec,
  },
});

const surge = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } as const;

const to = (image: string, ready = true) => ({
  spec: {
    template: {
      metadata: { annotations: ready ? null : { "coxswain.dev/ready": "false" } },
      spec: { containers: [{ name: "c", image }] },
    },
  },
});

const update = (stage: Stage, patch: unknown): Promise<void> => stage.patch(DaemonSet, "agent", patch);
const settled = (stage: Stage, count = 2): Promise<void> => stage.until(DaemonSet, "agent", hasDaemons(count));
const updated = (stage: Stage, count: number): Promise<void> =>
  stage.until(DaemonSet, "agent", (one) => (one?.status?.updatedNumberScheduled ?? 0) === count);

export const daemonSetCorners: readonly Scenario[] = [
  {
    name: "daemonset-stuck",
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await settled(stage);
      await update(stage, to("two", false));
      await updated(stage, 1);
      await stage.checkpoint("stuck");
      await update(stage, to("one"));
      await settled(stage);
    },
  },
  {
    name: "daemonset-surge-stuck",
    async run(stage) {
      await stage.create(DaemonSet, daemons(surge));
      await settled(stage);
      // of two pods on a node the older one is judged, and of two of one second the one whose name comes first
      await stage.quiet();
      await update(stage, to("two", false));
      await stage.untilPods("app=a", (pods) => pods.length === 3);
      await stage.checkpoint("stuck");
      await update(stage, to("three"));
      await settled(stage);
      await stage.checkpoint("mended");
      const [first] = await stage.pods();
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await settled(stage);
    },
  },
  {
    name: "daemonset-surge-tainted",
    nodes: true,
    async run(stage) {
      await stage.create(DaemonSet, daemons(surge, {}, "surges"));
      await settled(stage);
      const taints = (more: readonly Taint[]) => ({
        merge: { spec: { taints: [{ key: "own", value: "surges", effect: "NoSchedule" } as const, ...more] } },
      });
      await stage.of(Node).patch("node-14", taints([{ key: "bad", effect: "NoSchedule" }]));
      await stage.quiet();
      await update(stage, to("two"));
      await settled(stage, 1);
      await stage.untilPods("app=a", (pods) => pods.length === 1);
      await stage.checkpoint("one node");
      await stage.of(Node).patch("node-14", taints([]));
      await settled(stage);
    },
  },
  {
    name: "daemonset-other-nodes",
    nodes: true,
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await settled(stage);
      await update(stage, { spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "node-16" } } } } });
      await settled(stage, 1);
      await stage.untilPods("app=a", (pods) => pods.length === 1);
      await stage.checkpoint("one");
      const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "NotIn", values: ["node-16"] }] };
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
      await update(stage, {
        spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": null }, affinity: { nodeAffinity } } } },
      });
      await settled(stage, 1);
      await stage.untilPods("app=a", (pods) => pods.length === 1);
    },
  },
  {
    name: "daemonset-short-history",
    async run(stage) {
      await stage.create(DaemonSet, daemons({ revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } }));
      await settled(stage);
      for (const image of ["two", "three", "four"]) {
        await update(stage, to(image));
        await stage.checkpoint(image);
      }
      const [first] = await stage.pods();
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await updated(stage, 1);
      await stage.checkpoint("one updated");
      await update(stage, { spec: { revisionHistoryLimit: 0, updateStrategy: { type: "RollingUpdate" } } });
      await settled(stage);
    },
  },
  {
    name: "daemonset-collision",
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await settled(stage);
      const [revision] = (await stage.of(ControllerRevision).list()).items;
      const name = revision?.metadata.name ?? "";
      await stage.of(DaemonSet).delete("agent", { propagationPolicy: "Foreground" });
      await stage.gone(DaemonSet, "agent");
      await stage.create(ControllerRevision, { metadata: { name }, revision: 7, data: { other: true } } as never);
      await stage.quiet();
      await stage.create(DaemonSet, daemons());
      await settled(stage);
    },
  },
  {
    name: "daemonset-succeeded-pod",
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await settled(stage);
      const [first] = await stage.pods();
      const name = first?.metadata.name ?? "";
      await stage.of(Pod).status.patch(name, { strategic: { status: { phase: "Succeeded" } } });
      await stage.gone(Pod, name);
      await settled(stage);
    },
  },
  {
    name: "daemonset-adopts",
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await settled(stage);
      await stage.of(DaemonSet).delete("agent", { propagationPolicy: "Orphan" });
      await stage.gone(DaemonSet, "agent");
      await stage.checkpoint("orphaned");
      await stage.create(DaemonSet, daemons());
      await settled(stage);
      await stage.checkpoint("adopted");
      const [first] = await stage.pods();
      await stage.patch(Pod, first?.metadata.name ?? "", { metadata: { labels: { app: "free" } } });
      await stage.quiet();
      await settled(stage);
    },
  },
  {
    name: "daemonset-min-ready",
    async run(stage) {
      await stage.create(DaemonSet, daemons({ minReadySeconds: 2 }));
      await settled(stage);
      await update(stage, to("two"));
      await settled(stage);
    },
  },
];
