/** Random Jobs with pods in many states, from a seed: the same cases on every machine. */
import type { ContainerStatus, Job, JobCondition, JobSpec, Pod, PodCondition } from "../../../../src/api/index.js";
import { type Random, seededRandom } from "../../../../src/base/index.js";
import type { JobSync } from "./play.js";

const now = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");
const labels = { "batch.kubernetes.io/controller-uid": "job" };

class Chance {
  readonly #random: Random;

  constructor(seed: string) {
    this.#random = seededRandom(seed);
  }

  int(limit: number): number {
    return this.#random.int(limit);
  }

  /** True once in `among` times. */
  once(among: number): boolean {
    return this.#random.int(among) === 0;
  }

  one<T>(...values: readonly T[]): T {
    return values[this.#random.int(values.length)] as T;
  }

  /** The object, once in `among` times; otherwise an empty one. */
  some<T extends object>(among: number, object: T): T | object {
    return this.once(among) ? object : {};
  }
}

export function jobSync(number: number): JobSync {
  const chance = new Chance(`job sync ${number}`);
  const indexed = chance.once(2);
  const spec = specOf(chance, indexed);
  const pods = Array.from({ length: chance.int(6) }, (_, i) => podOf(chance, i, { indexed, spec }));
  const job: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "job",
      namespace: "default",
      uid: "job",
      generation: 1,
      creationTimestamp: ago(3_600),
      ...chance.some(15, { deletionTimestamp: ago(5), finalizers: ["foregroundDeletion"] }),
    },
    spec,
    status: statusOf(chance, indexed, { spec, pods }),
  };
  const fail = chance.once(8)
    ? [
        chance.one("create", "create 1"),
        ...pods.filter(() => chance.once(3)).map(({ metadata }) => `${chance.one("delete", "patch")} ${metadata.name}`),
      ]
    : [];
  return { name: String(number), now: ago(0), job, pods, ...(fail.length === 0 ? {} : { fail }) };
}

function specOf(chance: Chance, indexed: boolean): JobSpec {
  const completions = chance.int(5) + (indexed ? 1 : 0);
  const perIndex = indexed && chance.once(3);
  const policy = chance.once(3);
  const restartPolicy = policy || perIndex ? "Never" : chance.one("Never", "OnFailure");
  return {
    parallelism: chance.once(3) ? completions : chance.int(5),
    ...(indexed || chance.once(2) ? { completions } : {}),
    completionMode: indexed ? "Indexed" : "NonIndexed",
    backoffLimit: perIndex ? 2 ** 31 - 1 : chance.int(5),
    ...(perIndex
      ? { backoffLimitPerIndex: chance.int(3), ...chance.some(2, { maxFailedIndexes: chance.int(3) }) }
      : {}),
    ...(policy ? { podFailurePolicy: { rules: rulesOf(chance, perIndex) } } : {}),
    ...(indexed && chance.once(4) ? { successPolicy: { rules: successRulesOf(chance, completions) } } : {}),
    ...chance.some(6, { suspend: true }),
    ...chance.some(5, { activeDeadlineSeconds: chance.one(30, 300, 4_000) }),
    podReplacementPolicy: policy ? "Failed" : chance.one("TerminatingOrFailed", "Failed"),
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { restartPolicy, containers: [{ name: "c", image: "x" }] },
    },
  };
}

type Rules = NonNullable<JobSpec["podFailurePolicy"]>["rules"];

function rulesOf(chance: Chance, perIndex: boolean): Rules {
  return Array.from({ length: 1 + chance.int(3) }, () => {
    const action = chance.one<Rules[number]["action"]>("Ignore", "Count", perIndex ? "FailIndex" : "FailJob");
    const onExitCodes = {
      operator: chance.one("In" as const, "NotIn" as const),
      values: chance.one([1], [2], [1, 2]),
      ...chance.some(3, { containerName: chance.one("c", "other") }),
    };
    const onPodConditions = [{ type: "DisruptionTarget", status: "True" as const }];
    return chance.once(2) ? { action, onExitCodes } : { action, onPodConditions };
  });
}

function successRulesOf(chance: Chance, completions: number) {
  return Array.from({ length: 1 + chance.int(2) }, () => {
    const succeededIndexes = String(chance.int(completions));
    return chance.one<{ succeededIndexes?: string; succeededCount?: number }>(
      { succeededIndexes },
      { succeededCount: 1 + chance.int(completions) },
      { succeededIndexes: `0-${completions}`, succeededCount: 1 },
    );
  });
}

const owner = {
  apiVersion: "batch/v1",
  kind: "Job",
  name: "job",
  uid: "job",
  controller: true,
  blockOwnerDeletion: true,
} as const;
const sidecar = { name: "s", image: "x", restartPolicy: "Always" } as const;

interface Around {
  readonly indexed: boolean;
  readonly spec: JobSpec;
}

function annotationsOf(chance: Chance, spec: JobSpec): Readonly<Record<string, string>> {
  const index = chance.int((spec.completions ?? 1) + (chance.once(5) ? 2 : 0));
  return {
    ...(chance.once(10) ? {} : { "batch.kubernetes.io/job-completion-index": String(index) }),
    ...chance.some(2, { "batch.kubernetes.io/job-index-failure-count": chance.one("0", "1", "2", "x") }),
    ...chance.some(5, { "batch.kubernetes.io/job-index-ignored-failure-count": "1" }),
  };
}

function podOf(chance: Chance, i: number, { indexed, spec }: Around): Pod {
  const phase = chance.one("Pending", "Running", "Running", "Succeeded", "Failed", "Failed");
  const ended = phase === "Succeeded" || phase === "Failed";
  const hasSidecar = chance.once(6);
  const state = ended
    ? {
        terminated: {
          exitCode: phase === "Failed" ? 1 + chance.int(3) : 0,
          finishedAt: ago(chance.one(0, 4, 15, 900)),
        },
      }
    : {};
  const container: ContainerStatus = {
    name: "c",
    ready: false,
    restartCount: chance.once(4) ? chance.int(3) : 0,
    image: "",
    imageID: "",
    ...(ended && !hasSidecar && chance.once(6) ? {} : { state }),
  };
  const later = ended && chance.once(2) ? { terminated: { exitCode: 0, finishedAt: ago(1) } } : {};
  const ready: PodCondition = {
    type: "Ready",
    status: phase === "Running" && chance.once(2) ? "True" : "False",
    lastTransitionTime: ago(chance.one(2, 20, 300)),
  };
  const annotations = annotationsOf(chance, spec);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${i}`,
      namespace: "default",
      uid: `pod-${i}`,
      labels: chance.once(25) ? { other: "job" } : labels,
      creationTimestamp: ago(1_000 + i),
      ...(indexed ? { annotations } : {}),
      ...(chance.once(6) ? {} : { finalizers: ["batch.kubernetes.io/job-tracking"] }),
      ...chance.some(5, { deletionTimestamp: ago(chance.one(-20, 3, 40)), deletionGracePeriodSeconds: 30 }),
      ...(chance.once(20) ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      containers: [{ name: "c", image: "x" }],
      ...(hasSidecar ? { initContainers: [sidecar] } : {}),
      ...chance.some(2, { nodeName: "node" }),
    },
    status: {
      phase,
      conditions: [ready, ...(chance.once(5) ? [{ type: "DisruptionTarget", status: "True" } as const] : [])],
      containerStatuses: [container],
      ...(hasSidecar ? { initContainerStatuses: [{ ...container, name: "s", state: later }] } : {}),
    },
  };
}

function statusOf(chance: Chance, indexed: boolean, { spec, pods }: { spec: JobSpec; pods: readonly Pod[] }) {
  if (chance.once(4)) return {};
  const uids = (phase: string): readonly string[] =>
    pods.filter(({ status }) => status?.phase === phase && chance.once(4)).map(({ metadata }) => metadata.uid ?? "");
  const [succeeded, failed] = [indexed ? [] : uids("Succeeded"), uids("Failed")];
  const done = chance.one("", "", "0", "1", "0,1", "0-2", "2-4");
  const doneCount = { "": 0, "0": 1, "1": 1, "0,1": 2, "0-2": 3, "2-4": 3 }[done] ?? 0;
  const counts = { active: chance.int(3), failed: chance.int(2), succeeded: indexed ? doneCount : chance.int(3) };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...chance.some(2, { ready: 0, terminating: 0 }),
    ...(spec.suspend === true && chance.once(2) ? {} : { startTime: ago(chance.one(10, 60, 3_000)) }),
    ...(indexed && done !== "" ? { completedIndexes: done } : {}),
    ...(spec.backoffLimitPerIndex !== undefined && chance.once(2) ? { failedIndexes: chance.one("", "3", "4") } : {}),
    uncountedTerminatedPods: {
      ...(succeeded.length === 0 ? {} : { succeeded }),
      ...(failed.length === 0 ? {} : { failed }),
    },
    ...conditionsOf(chance),
  };
}

function conditionsOf(chance: Chance): { readonly conditions?: readonly JobCondition[] } {
  const at = { lastProbeTime: ago(70), lastTransitionTime: ago(70) };
  const conditions: readonly JobCondition[] = [
    ...(chance.once(5)
      ? [
          chance.one<JobCondition>(
            { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended", ...at },
            { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed", ...at },
          ),
        ]
      : []),
    ...(chance.once(8)
      ? [
          chance.one<JobCondition>(
            { type: "FailureTarget", status: "True", reason: "PodFailurePolicy", message: "one", ...at },
            { type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy", message: "two", ...at },
          ),
        ]
      : []),
  ];
  return conditions.length === 0 ? {} : { conditions };
}
