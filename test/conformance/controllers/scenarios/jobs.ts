/** Jobs and CronJobs: scenarios that are played with our controllers and with the real ones. */
import { CronJob, Job, type JobSpec, Pod } from "../../../../src/api/index.js";
import type { Scenario } from "../scenario.js";
import { isTrue, job, type TemplateOptions } from "./shapes.js";

const isComplete = (one: Job | undefined): boolean => isTrue(one, "Complete");
const hasFailed = (one: Job | undefined): boolean => isTrue(one, "Failed");
const fails = { life: { "exit-code": "1" } };

/** A Job that is made and comes to this end. */
const ends = (
  name: string,
  end: (one: Job | undefined) => boolean,
  spec: Partial<JobSpec>,
  options: TemplateOptions = {},
): Scenario => ({
  name,
  async run(stage) {
    await stage.create(Job, job(spec, options));
    await stage.until(Job, "job", end);
  },
});

/** Pods that fail when told to, so that the number of further failures does not depend on timing. */
const failsWhenTold = { life: { "exit-code": "1", "run-for": "1h" } };

const failsOfSome = (name: string, spec: Partial<JobSpec>, count: number): Scenario => ({
  name,
  async run(stage) {
    await stage.create(Job, job(spec, failsWhenTold));
    await stage.until(Job, "job", (one) => one?.status?.ready === spec.parallelism);
    const byIndex = ({ metadata }: Pod): string =>
      metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? metadata.name;
    const pods = (await stage.pods()).toSorted((a, b) => (byIndex(a) < byIndex(b) ? -1 : 1));
    for (const { metadata } of pods.slice(0, count)) {
      await stage.patch(Pod, metadata.name, { metadata: { annotations: { "coxswain.dev/run-for": "1ms" } } });
    }
    await stage.until(Job, "job", hasFailed);
  },
});

const onExitCode = (action: "FailJob" | "Ignore" | "Count" | "FailIndex", value: number) => ({
  action,
  onExitCodes: { containerName: "c", operator: "In" as const, values: [value] },
});

export const jobs: readonly Scenario[] = [
  ends("job-one", isComplete, {}),
  ends("job-completions", isComplete, { completions: 4, parallelism: 2 }),
  // without completions, the first success ends it
  ends("job-work-queue", isComplete, { parallelism: 2 }),
  ends("job-indexed", isComplete, { completions: 3, parallelism: 2, completionMode: "Indexed" }),
  ends("job-backoff-limit", hasFailed, { backoffLimit: 1 }, fails),
  failsOfSome("job-backoff-limit-zero", { backoffLimit: 0, parallelism: 2, completions: 2 }, 1),
  ends("job-on-failure", hasFailed, { backoffLimit: 1 }, { ...fails, spec: { restartPolicy: "OnFailure" } }),
  ends("job-deadline", hasFailed, { activeDeadlineSeconds: 2 }, { life: { "run-for": "1h" } }),
  ends(
    "job-policy-fails-job",
    hasFailed,
    { backoffLimit: 3, podFailurePolicy: { rules: [onExitCode("Ignore", 7), onExitCode("FailJob", 1)] } },
    fails,
  ),
  ends(
    "job-policy-count",
    hasFailed,
    { backoffLimit: 0, podFailurePolicy: { rules: [onExitCode("Count", 1)] } },
    fails,
  ),
  ends(
    "job-per-index",
    hasFailed,
    { completions: 3, parallelism: 3, completionMode: "Indexed", backoffLimitPerIndex: 0 },
    fails,
  ),
  failsOfSome(
    "job-per-index-max-failed",
    {
      completions: 4,
      parallelism: 4,
      completionMode: "Indexed",
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 1,
    },
    2,
  ),
  ends(
    "job-per-index-retries",
    hasFailed,
    { completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 1 },
    fails,
  ),
  ends(
    "job-per-index-fail-index",
    hasFailed,
    {
      completions: 2,
      parallelism: 2,
      completionMode: "Indexed",
      backoffLimitPerIndex: 3,
      podFailurePolicy: { rules: [onExitCode("FailIndex", 1)] },
    },
    fails,
  ),
  ends("job-success-policy-all", isComplete, {
    completions: 3,
    parallelism: 1,
    completionMode: "Indexed",
    successPolicy: { rules: [{ succeededIndexes: "0" }] },
  }),
  ends("job-success-policy-count", isComplete, {
    completions: 4,
    parallelism: 1,
    completionMode: "Indexed",
    successPolicy: { rules: [{ succeededIndexes: "3", succeededCount: 1 }, { succeededCount: 2 }] },
  }),
  {
    name: "job-policy-ignores",
    async run(stage) {
      await stage.create(
        Job,
        job(
          { backoffLimit: 0, podFailurePolicy: { rules: [onExitCode("Ignore", 1)] } },
          { life: { "exit-code": "1", "run-for": "2s" } },
        ),
      );
      await stage.untilPods("", (pods) => pods.some(({ status }) => status?.phase === "Failed"));
      await stage.pause(4_000);
      await stage.of(Job).delete("job", { propagationPolicy: "Background" });
      await stage.gone(Job, "job");
    },
    loose: true,
  },
  {
    name: "job-policy-disruption",
    async run(stage) {
      const onPodConditions = [{ type: "DisruptionTarget", status: "True" as const }];
      const podFailurePolicy = { rules: [{ action: "Ignore" as const, onPodConditions }] };
      await stage.create(Job, job({ backoffLimit: 0, podFailurePolicy }, { life: { "run-for": "1h" } }));
      const [first] = await stage.untilPods("", (pods) => pods.some((pod) => isTrue(pod, "Ready")));
      const { name = "" } = first?.metadata ?? {};
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: stage.namespace } };
      await stage
        .of(Pod)
        .subresource("eviction")
        .create(name, eviction as never);
      await stage.gone(Pod, name);
      await stage.until(Job, "job", (one) => one?.status?.ready === 1);
    },
  },
  {
    name: "job-suspend",
    async run(stage) {
      await stage.create(Job, job({ parallelism: 2, completions: 2 }, { life: { "run-for": "1h" } }));
      await stage.until(Job, "job", (one) => one?.status?.ready === 2);
      await stage.patch(Job, "job", { spec: { suspend: true } });
      await stage.until(Job, "job", (one) => isTrue(one, "Suspended"));
      await stage.untilPods("", (pods) => pods.length === 0);
      await stage.checkpoint("suspended");
      await stage.patch(Job, "job", { spec: { suspend: false } });
      await stage.until(Job, "job", (one) => one?.status?.ready === 2);
      await stage.checkpoint("resumed");
      await stage.patch(Job, "job", { spec: { parallelism: 1 } });
      await stage.until(Job, "job", (one) => one?.status?.active === 1);
    },
  },
  {
    name: "job-born-suspended",
    async run(stage) {
      await stage.create(Job, job({ suspend: true }));
      await stage.until(Job, "job", (one) => isTrue(one, "Suspended"));
      await stage.checkpoint("suspended");
      await stage.patch(Job, "job", { spec: { suspend: false } });
      await stage.until(Job, "job", isComplete);
    },
  },
  {
    name: "job-ttl",
    async run(stage) {
      await stage.create(Job, job({ ttlSecondsAfterFinished: 1 }));
      await stage.gone(Job, "job");
    },
  },
  {
    name: "job-pod-deleted",
    async run(stage) {
      await stage.create(Job, job({ backoffLimit: 2 }, { life: { "run-for": "1h" } }));
      const [first] = await stage.untilPods("", (pods) => pods.some(({ status }) => status?.phase === "Running"));
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(Job, "job", (one) => one?.status?.failed === 1 && one.status.ready === 1);
    },
  },
  {
    name: "job-orphaned",
    async run(stage) {
      await stage.create(Job, job({}, { life: { "run-for": "1h" } }));
      await stage.until(Job, "job", (one) => one?.status?.ready === 1);
      await stage.of(Job).delete("job", { propagationPolicy: "Orphan" });
      await stage.gone(Job, "job");
    },
  },
  {
    name: "job-managed-by",
    async run(stage) {
      await stage.create(Job, job({ managedBy: "example.com/other" }));
      await stage.pause(2_000);
    },
  },
  {
    name: "cronjob",
    async run(stage) {
      const jobTemplate = { metadata: { labels: { made: "by-cron" } }, spec: job().spec };
      await stage.create(CronJob, {
        metadata: { name: "cron" },
        spec: { schedule: "* * * * *", concurrencyPolicy: "Forbid", jobTemplate },
      });
      await stage.until(CronJob, "cron", (one) => one?.status?.lastSuccessfulTime !== undefined);
      await stage.patch(CronJob, "cron", { spec: { suspend: true } });
    },
  },
  {
    name: "cronjob-bad",
    async run(stage) {
      const spec = { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: job().spec } };
      await stage.create(CronJob, { metadata: { name: "resting" }, spec });
      await stage.create(CronJob, {
        metadata: { name: "far" },
        spec: { ...spec, suspend: false, timeZone: "Europe/Berlin" },
      });
    },
  },
];
