/** Corner cases of Jobs: sizes that change, pods that leave or are adopted. */
import { Job, Pod } from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { isTrue, job, template } from "../shapes.js";

const isComplete = (one: Job | undefined): boolean => isTrue(one, "Complete");
const hasFailed = (one: Job | undefined): boolean => isTrue(one, "Failed");
const long = { life: { "run-for": "1h" } };
const ready =
  (count: number) =>
  (one: Job | undefined): boolean =>
    one?.status?.ready === count;

/** Ends the pods of these indexes well. */
async function succeed(stage: Stage, ...indexes: readonly number[]): Promise<void> {
  const pods = await stage.pods(`batch.kubernetes.io/job-completion-index in (${indexes.join()})`);
  for (const { metadata } of pods) {
    await stage.patch(Pod, metadata.name, { metadata: { annotations: { "coxswain.dev/run-for": "1ms" } } });
  }
}

export const jobCorners: readonly Scenario[] = [
  {
    name: "job-elastic",
    async run(stage) {
      await stage.create(Job, job({ completions: 3, parallelism: 3, completionMode: "Indexed" }, long));
      await stage.until(Job, "job", ready(3));
      await stage.patch(Job, "job", { spec: { completions: 1, parallelism: 1 } });
      await stage.until(Job, "job", (one) => one?.status?.active === 1);
      await stage.checkpoint("small");
      await stage.patch(Job, "job", { spec: { completions: 2, parallelism: 2 } });
      await stage.until(Job, "job", ready(2));
    },
  },
  {
    name: "job-elastic-done",
    async run(stage) {
      await stage.create(Job, job({ completions: 3, parallelism: 3, completionMode: "Indexed" }, long));
      await stage.until(Job, "job", ready(3));
      await succeed(stage, 0, 2);
      await stage.until(Job, "job", (one) => one?.status?.succeeded === 2);
      await stage.checkpoint("two done");
      await stage.patch(Job, "job", { spec: { completions: 1, parallelism: 1 } });
      await stage.until(Job, "job", isComplete);
    },
  },
  {
    name: "job-idle",
    async run(stage) {
      await stage.create(Job, job({ parallelism: 0 }));
      await stage.checkpoint("idle");
      await stage.patch(Job, "job", { spec: { parallelism: 1 } });
      await stage.until(Job, "job", isComplete);
    },
  },
  {
    name: "job-nothing-to-do",
    async run(stage) {
      await stage.create(Job, job({ completions: 0 }));
      await stage.until(Job, "job", isComplete);
    },
  },
  {
    name: "job-replaces-failed",
    async run(stage) {
      await stage.create(Job, job({ podReplacementPolicy: "Failed", backoffLimit: 2 }, long));
      const [first] = await stage.untilPods("", (pods) => pods.some((pod) => isTrue(pod, "Ready")));
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(Job, "job", (one) => one?.status?.failed === 1 && one.status.ready === 1);
    },
  },
  {
    name: "job-adopts",
    async run(stage) {
      const labels = { app: "found" };
      const { spec, metadata } = template({ labels, ...long });
      await stage.create(Pod, { metadata: { name: "found", ...metadata }, spec: { ...spec, restartPolicy: "Never" } });
      await stage.until(Pod, "found", (one) => isTrue(one, "Ready"));
      const selector = { matchLabels: labels };
      await stage.create(Job, job({ manualSelector: true, selector }, { labels, ...long }));
      await stage.until(Job, "job", ready(1));
      await stage.checkpoint("adopted");
      await stage.patch(Pod, "found", { metadata: { labels: { app: "lost" } } });
      await stage.untilPods("app=found", (pods) => pods.some((pod) => isTrue(pod, "Ready")));
    },
  },
  {
    name: "job-deadline-of-resumed",
    async run(stage) {
      await stage.create(Job, job({ suspend: true, activeDeadlineSeconds: 3 }, long));
      await stage.until(Job, "job", (one) => isTrue(one, "Suspended"));
      await stage.pause(4_000);
      await stage.patch(Job, "job", { spec: { suspend: false } });
      await stage.until(Job, "job", hasFailed);
    },
  },
  {
    name: "job-policy-condition",
    async run(stage) {
      const onPodConditions = [{ type: "DisruptionTarget", status: "True" as const }];
      const podFailurePolicy = { rules: [{ action: "FailJob" as const, onPodConditions }] };
      await stage.create(Job, job({ podFailurePolicy }, long));
      const [first] = await stage.untilPods("", (pods) => pods.some((pod) => isTrue(pod, "Ready")));
      const { name = "" } = first?.metadata ?? {};
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: stage.namespace } };
      await stage
        .of(Pod)
        .subresource("eviction")
        .create(name, eviction as never);
      await stage.until(Job, "job", hasFailed);
    },
  },
  {
    name: "job-deleted-in-background",
    async run(stage) {
      await stage.create(Job, job({ parallelism: 2, completions: 2 }, long));
      await stage.until(Job, "job", ready(2));
      await stage.of(Job).delete("job", { propagationPolicy: "Background" });
      await stage.untilPods("", (pods) => pods.length === 0);
    },
  },
  {
    name: "job-deleted-in-foreground",
    async run(stage) {
      await stage.create(Job, job({}, long));
      await stage.until(Job, "job", ready(1));
      await stage.of(Job).delete("job", { propagationPolicy: "Foreground" });
      await stage.gone(Job, "job");
    },
  },
];
