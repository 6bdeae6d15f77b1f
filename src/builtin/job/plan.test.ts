import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../../api/index.js";
import { countPods } from "./count.js";
import { judgeFailure } from "./failures/policy.js";
import { firstPending, parseIndexes, printIndexes } from "./indexes.js";
import { jobEndOf, planJob, reachedCompletions } from "./plan.js";
import { failureDelayMs, PodFailureBackoff } from "./failures/backoff.js";
import { finishedAt, jobPod } from "./pods.js";
import { conclude, countReleased, noteFinished, withSuspension } from "./track.js";

const now = Date.parse("2026-01-01T01:00:00Z");
const labels = { job: "j" };

function jobOf(spec: Partial<NonNullable<Job["spec"]>> = {}, status?: Job["status"]): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "default", uid: "job" },
    spec: {
      parallelism: 2,
      completions: 4,
      backoffLimit: 6,
      template: { metadata: { labels }, spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

interface PodShape {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly index?: number;
  readonly tracked?: boolean;
  readonly deleting?: boolean;
  readonly exitCode?: number;
  readonly restarts?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: "True" }[];
}

function podOf(name: string, shape: PodShape = {}): Pod {
  const { phase = "Running", index, tracked = true, deleting = false, exitCode, restarts = 0, conditions = [] } = shape;
  const terminated =
    exitCode === undefined ? {} : { state: { terminated: { exitCode, finishedAt: "2026-01-01T00:59:50Z" } } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      namespace: "default",
      labels,
      ...(index === undefined ? {} : { annotations: { "batch.kubernetes.io/job-completion-index": String(index) } }),
      ...(tracked ? { finalizers: ["batch.kubernetes.io/job-tracking"] } : {}),
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:59:00Z" } : {}),
    },
    status: {
      phase,
      conditions,
      containerStatuses: [{ name: "c", ready: false, restartCount: restarts, image: "", imageID: "", ...terminated }],
    },
  };
}

const observe = (job: Job, pods: readonly Pod[], released: readonly string[] = []) => ({
  job,
  pods,
  released: new Set(released),
});
const planFor = (job: Job, pods: readonly Pod[]) => planJob(job, countPods(observe(job, pods)), { now, waitMs: 0 });

describe("completion indexes", () => {
  for (const [indexes, text] of [
    [[], ""],
    [[3], "3"],
    [[1, 2], "1,2"],
    [[1, 3, 4, 5, 7], "1,3-5,7"],
    [[0, 1, 2], "0-2"],
  ] as const) {
    test(`${JSON.stringify(indexes)} is written "${text}"`, () => {
      expect(printIndexes(indexes)).toBe(text);
      expect([...parseIndexes(text, 100)]).toEqual([...indexes]);
    });
  }
  test("text that anybody may have written is read without harm", () => {
    fc.assert(fc.property(fc.string(), (text) => void parseIndexes(text, 10)));
    expect([...parseIndexes("x,3-,2-1,9,0-999999999", 3)]).toEqual([0, 1, 2]);
  });
  test("the lowest that nobody has are next", () =>
    expect(firstPending(2, 5, new Set([0]), new Set([2]))).toEqual([1, 3]));
});

describe("a Job wants", () => {
  test("as many pods as may run, but no more than are left to do", () => {
    expect(planFor(jobOf(), [])).toEqual({ type: "create", indexes: [undefined, undefined] });
    const nearlyDone = jobOf({}, { succeeded: 3 });
    expect(planFor(nearlyDone, [])).toEqual({ type: "create", indexes: [undefined] });
  });
  test("no more of them once one of a work queue has succeeded", () => {
    const { completions: _none, ...spec } = jobOf().spec as NonNullable<Job["spec"]>;
    const queue: Job = { ...jobOf(), spec };
    expect(planFor(queue, [podOf("a", { phase: "Succeeded" }), podOf("b")])).toEqual({ type: "none" });
  });
  test("the lowest indexes that nobody works on", () => {
    const indexed = jobOf({ completionMode: "Indexed", parallelism: 3 }, { completedIndexes: "0" });
    expect(planFor(indexed, [podOf("a", { index: 2 })])).toEqual({ type: "create", indexes: [1, 3] });
  });
  test("one pod of an index, not two", () => {
    const indexed = jobOf({ completionMode: "Indexed", parallelism: 3 });
    const plan = planFor(indexed, [podOf("a", { index: 1 }), podOf("b", { index: 1, phase: "Pending" })]);
    expect(plan.type === "delete" && plan.pods.map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });
  test("nothing while it is suspended", () => {
    const plan = planFor(jobOf({ suspend: true }), [podOf("a")]);
    expect(plan.type === "delete" && plan.pods).toHaveLength(1);
  });
  test("to wait for pods that leave, if only failed ones are replaced", () => {
    expect(planFor(jobOf({ podReplacementPolicy: "Failed" }), [podOf("a", { deleting: true })])).toEqual({
      type: "create",
      indexes: [undefined],
    });
  });
});

describe("a Job ends", () => {
  const endOf = (job: Job, pods: readonly Pod[]) =>
    jobEndOf(observe(job, pods), countPods(observe(job, pods)), now)?.reason;
  test("when more pods failed than its limit allows", () => {
    const failed = (count: number) => Array.from({ length: count }, (_, i) => podOf(`f${i}`, { phase: "Failed" }));
    expect(endOf(jobOf({ backoffLimit: 2 }), failed(2))).toBeUndefined();
    expect(endOf(jobOf({ backoffLimit: 2 }), failed(3))).toBe("BackoffLimitExceeded");
  });
  test("when pods that restart in place restarted too often", () => {
    const template = { metadata: { labels }, spec: { restartPolicy: "OnFailure" as const, containers: [] } };
    expect(endOf(jobOf({ backoffLimit: 3, template }), [podOf("a", { restarts: 3 })])).toBe("BackoffLimitExceeded");
  });
  test("when its time is over, unless it is suspended", () => {
    const status = { startTime: "2026-01-01T00:00:00Z" };
    expect(endOf(jobOf({ activeDeadlineSeconds: 60 }, status), [])).toBe("DeadlineExceeded");
    expect(endOf(jobOf({ activeDeadlineSeconds: 60, suspend: true }, status), [])).toBeUndefined();
  });
  test("when its success policy is met", () => {
    const successPolicy = { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] };
    const indexed = jobOf({ completionMode: "Indexed", successPolicy });
    expect(endOf(indexed, [podOf("a", { index: 1, phase: "Succeeded" })])).toBeUndefined();
    expect(endOf(indexed, [podOf("a", { index: 2, phase: "Succeeded" })])).toBe("SuccessPolicy");
  });
  test("when all completions are there and nobody works any more", () => {
    expect(reachedCompletions(jobOf(), 4, 0)?.reason).toBe("CompletionsReached");
    expect(reachedCompletions(jobOf(), 4, 1)).toBeUndefined();
  });
});

describe("a pod failure policy", () => {
  const policy = jobOf({
    podFailurePolicy: {
      rules: [
        { action: "FailJob", onExitCodes: { operator: "In", values: [42], containerName: "c" } },
        { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
      ],
    },
  });
  test("fails the Job on the exit code that it names", () => {
    expect(judgeFailure(policy, podOf("p", { phase: "Failed", exitCode: 42 }))).toEqual({
      counts: true,
      failJob: "Container c for pod default/p failed with exit code 42 matching FailJob rule at index 0",
      action: "FailJob",
    });
  });
  test("ignores disruptions", () => {
    const disrupted = podOf("p", { phase: "Failed", conditions: [{ type: "DisruptionTarget", status: "True" }] });
    expect(judgeFailure(policy, disrupted)).toEqual({ counts: false, action: "Ignore" });
  });
  test("counts everything else", () =>
    expect(judgeFailure(policy, podOf("p", { phase: "Failed", exitCode: 1 }))).toEqual({ counts: true }));
});

describe("every finished pod is counted exactly once", () => {
  test("noted, released, counted", () => {
    const pods = [podOf("a", { phase: "Succeeded" }), podOf("b", { phase: "Failed" }), podOf("c")];
    const job = jobOf();
    const noted = noteFinished(observe(job, pods), countPods(observe(job, pods)), undefined);
    expect(noted.status.uncountedTerminatedPods).toEqual({ succeeded: ["a"], failed: ["b"] });
    expect(noted.release.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    const counted = countReleased(noted.status, new Set(["c"]));
    expect(counted).toEqual({ succeeded: 1, failed: 1, uncountedTerminatedPods: {} });
  });

  test("whatever is repeated, lost or cut off between the steps", () => {
    const step = fc.constantFrom("note", "write", "release", "see", "crash");
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.array(fc.constantFrom("Succeeded", "Failed"), { minLength: 1, maxLength: 5 }),
        (steps, phases) => {
          let tracked = new Set(phases.map((_, i) => `p${i}`));
          let cachedTracked = new Set(tracked);
          let stored: Job["status"] = {};
          let pending: ReturnType<typeof noteFinished> | undefined;
          let released = new Set<string>();
          const pods = (): readonly Pod[] =>
            phases.map((phase, i) =>
              podOf(`p${i}`, { phase: phase as "Succeeded", tracked: cachedTracked.has(`p${i}`) }),
            );
          const run = (what: string): void => {
            if (what === "note") {
              const observed = { job: jobOf({}, stored), pods: pods(), released };
              pending = noteFinished(observed, countPods(observed), undefined);
            }
            if (what === "write" && pending !== undefined) stored = pending.status;
            if (what === "release" && pending !== undefined && stored === pending.status) {
              for (const pod of pending.release) {
                tracked.delete(pod.metadata.uid as string);
                released.add(pod.metadata.uid as string);
              }
            }
            if (what === "see") {
              cachedTracked = new Set(tracked);
              released = new Set([...released].filter((uid) => cachedTracked.has(uid)));
            }
            // a new process knows only the state of the server
            if (what === "crash") {
              pending = undefined;
              released = new Set();
              cachedTracked = new Set(tracked);
            }
          };
          for (const what of steps) run(what);
          for (const what of ["see", "note", "write", "release", "see", "note", "write"]) run(what);
          tracked = new Set();
          expect([stored?.succeeded ?? 0, stored?.failed ?? 0]).toEqual([
            phases.filter((phase) => phase === "Succeeded").length,
            phases.filter((phase) => phase === "Failed").length,
          ]);
        },
      ),
    );
  });

  test("the last word waits until all are counted and gone", () => {
    const end = reachedCompletions(jobOf(), 4, 0);
    if (end === undefined) throw new Error("expected an end");
    expect(conclude({ uncountedTerminatedPods: { succeeded: ["a"] } }, end, now)).toBeUndefined();
    expect(conclude({ terminating: 1 }, end, now)).toBeUndefined();
    expect(conclude({ succeeded: 4 }, end, now)).toMatchObject({
      completionTime: "2026-01-01T01:00:00Z",
      conditions: [{ type: "Complete", status: "True" }],
    });
  });
});

test("a failed pod is replaced after 10 s, 20 s, 40 s … since the last success", () => {
  const backoff = new PodFailureBackoff();
  const failed = podOf("a", { phase: "Failed", exitCode: 1 });
  const once = backoff.with("k", [], [failed]);
  expect(failureDelayMs(once, Date.parse("2026-01-01T00:59:50Z"))).toBe(10_000);
  backoff.keep("k", once);
  expect(failureDelayMs(backoff.with("k", [], [failed]), Date.parse("2026-01-01T00:59:50Z"))).toBe(20_000);
  expect(failureDelayMs(backoff.with("k", [podOf("s", { phase: "Succeeded" })], []), now)).toBe(0);
});

test("an indexed pod carries its index in name, label, annotation and environment", () => {
  const pod = jobPod(jobOf({ completionMode: "Indexed" }), 3);
  expect(pod.metadata).toMatchObject({
    generateName: "j-3-",
    labels: { "batch.kubernetes.io/job-completion-index": "3" },
  });
  expect(pod.spec?.hostname).toBe("j-3");
  expect(pod.spec?.containers[0]?.env?.[0]?.name).toBe("JOB_COMPLETION_INDEX");
});

test("a Job that goes on starts anew: the time before does not count towards its deadline", () => {
  const suspended = { conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended" }] } as const;
  for (const status of [suspended, { ...suspended, startTime: "2026-01-01T00:59:58Z" }]) {
    expect(withSuspension(jobOf(), status, now)).toMatchObject({
      startTime: "2026-01-01T01:00:00Z",
      conditions: [{ type: "Suspended", status: "False", reason: "JobResumed" }],
    });
  }
});

describe("an indexed Job that shrinks", () => {
  const shrunk = jobOf({ completionMode: "Indexed", completions: 2, parallelism: 2 }, { completedIndexes: "1,3-5" });
  const status = (pods: readonly Pod[]) =>
    noteFinished(observe(shrunk, pods), countPods(observe(shrunk, pods)), undefined);
  test("forgets what it did beyond its new size", () => {
    expect(status([]).status).toMatchObject({ succeeded: 1, completedIndexes: "1" });
  });
  test("lets pods beyond it go, uncounted", () => {
    const beyond = podOf("a", { index: 4 });
    expect(planFor(shrunk, [beyond])).toEqual({ type: "delete", pods: [beyond] });
    const failed = podOf("b", { index: 4, phase: "Failed" });
    expect(status([failed])).toMatchObject({ release: [failed], status: { uncountedTerminatedPods: {} } });
  });
});

test("the name of an indexed pod keeps its index, however long the Job's name is", () => {
  const long: Job = { ...jobOf({ completionMode: "Indexed" }), metadata: { name: "j".repeat(60), uid: "job" } };
  expect(jobPod(long, 12).metadata.generateName).toBe(`${"j".repeat(54)}-12-`);
});

test("a failure at the moment of a success starts no wait", () => {
  const [failed, succeeded] = [
    podOf("f", { phase: "Failed", exitCode: 1 }),
    podOf("s", { phase: "Succeeded", exitCode: 0 }),
  ];
  expect(new PodFailureBackoff().with("k", [succeeded], [failed]).sinceSuccess).toBe(0);
});

test("a pod has finished when its last sidecar has", () => {
  const pod = podOf("p", { phase: "Failed", exitCode: 1 });
  const sidecar = { name: "s", image: "x", restartPolicy: "Always" } as const;
  const terminated = { exitCode: 0, finishedAt: "2026-01-01T00:59:59Z" };
  const status = { name: "s", ready: false, restartCount: 0, image: "", imageID: "", state: { terminated } };
  const withSidecar: Pod = {
    ...pod,
    spec: { containers: [], initContainers: [sidecar] },
    status: { ...pod.status, initContainerStatuses: [status] },
  };
  expect(finishedAt(withSidecar)).toBe(Date.parse("2026-01-01T00:59:59Z"));
});
