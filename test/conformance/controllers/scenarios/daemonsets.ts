/** DaemonSets: scenarios that are played with our controllers and with the real ones. */
import { DaemonSet, type DaemonSetSpec, Node, Pod } from "../../../../src/api/index.js";
import type { Scenario } from "../scenario.js";
import { hasDaemons, selector, template } from "./shapes.js";

/** On the nodes of this scenario alone. */
const daemons = (
  spec: Partial<DaemonSetSpec> = {},
  nodeSelector: Readonly<Record<string, string>> = { own: "daemons" },
) => ({
  metadata: { name: "agent" },
  spec: {
    selector,
    template: template({ spec: { nodeSelector, tolerations: [{ key: "own", operator: "Exists" as const }] } }),
    ...spec,
  },
});

const images = (image: string) => ({ spec: { template: { spec: { containers: [{ name: "c", image }] } } } });

export const daemonSets: readonly Scenario[] = [
  {
    name: "daemonset-rolling",
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      await stage.checkpoint("created");
      await stage.patch(DaemonSet, "agent", images("two"));
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      await stage.checkpoint("updated");
      await stage.patch(DaemonSet, "agent", images("one"));
      await stage.until(DaemonSet, "agent", hasDaemons(2));
    },
  },
  {
    name: "daemonset-surge",
    async run(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const;
      await stage.create(DaemonSet, daemons({ updateStrategy, revisionHistoryLimit: 1 }));
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      for (const image of ["two", "three", "four"]) {
        await stage.patch(DaemonSet, "agent", images(image));
        await stage.until(DaemonSet, "agent", hasDaemons(2));
        await stage.quiet();
      }
    },
  },
  {
    name: "daemonset-on-delete",
    async run(stage) {
      await stage.create(DaemonSet, daemons({ updateStrategy: { type: "OnDelete" } }));
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      await stage.patch(DaemonSet, "agent", images("two"));
      await stage.checkpoint("changed");
      const [first] = await stage.pods();
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(
        DaemonSet,
        "agent",
        (one) => one?.status?.updatedNumberScheduled === 1 && one.status.numberAvailable === 2,
      );
    },
  },
  {
    name: "daemonset-everywhere",
    nodes: true,
    async run(stage) {
      // on the common nodes: the others have a taint that it does not tolerate
      const spec = template({
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: "own", operator: "NotIn" as const, values: ["losses", "orphans", "evictions", "taints"] },
                    ],
                  },
                ],
              },
            },
          },
        },
      });
      await stage.create(DaemonSet, { metadata: { name: "agent" }, spec: { selector, template: spec } });
      await stage.until(DaemonSet, "agent", hasDaemons(3));
    },
  },
  {
    name: "daemonset-node-labels",
    nodes: true,
    async run(stage) {
      await stage.create(DaemonSet, daemons({}, { own: "daemons", wants: "agents" }));
      await stage.until(DaemonSet, "agent", hasDaemons(0));
      await stage.checkpoint("nowhere");
      await stage.of(Node).patch("node-4", { merge: { metadata: { labels: { wants: "agents" } } } });
      await stage.until(DaemonSet, "agent", hasDaemons(1));
      await stage.checkpoint("labelled");
      await stage.of(Node).patch("node-4", { merge: { metadata: { labels: { wants: null } } } });
      await stage.until(DaemonSet, "agent", hasDaemons(0));
      await stage.untilPods("app=a", (pods) => pods.length === 0);
    },
  },
  {
    name: "daemonset-tainted-node",
    nodes: true,
    async run(stage) {
      const { metadata, spec } = daemons({}, { own: "taints" });
      await stage.create(DaemonSet, {
        metadata,
        spec: {
          ...spec,
          template: template({
            spec: { nodeSelector: { own: "taints" }, tolerations: [{ key: "own", operator: "Exists" as const }] },
          }),
        },
      });
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      const taint = (effect: string) => ({ strategic: { spec: { taints: [{ key: "bad", effect }] } } });
      await stage.of(Node).patch("node-12", taint("NoSchedule"));
      // the taint alone need not wake anybody: nothing has to be done
      await stage.patch(DaemonSet, "agent", { metadata: { annotations: { look: "again" } } });
      await stage.checkpoint("not welcome");
      await stage.of(Node).patch("node-13", taint("NoExecute"));
      await stage.until(DaemonSet, "agent", (one) => one?.status?.desiredNumberScheduled === 0);
      await stage.untilPods("app=a", (pods) => pods.length === 1);
    },
  },
  {
    name: "daemonset-failed-pod",
    async run(stage) {
      await stage.create(DaemonSet, daemons());
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      const [first] = await stage.pods();
      await stage.of(Pod).status.patch(first?.metadata.name ?? "", { strategic: { status: { phase: "Failed" } } });
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(DaemonSet, "agent", hasDaemons(2));
    },
  },
];
