import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Container, Pod } from "../../api/index.js";
import { at, live, next, podWith, second, statusAt } from "../../../test/simulated/lives.js";
import { advance, begin, type PodLife, type LifeStep } from "./life.js";
import { crashDelayMs } from "./restarts.js";
import { phaseOf, podStatusOf } from "./status.js";

const condition = (pod: Pod, ms: number, type: string): unknown => {
  const found = statusAt(pod, ms).conditions?.find((each) => each.type === type);
  return found && { status: found.status, reason: found.reason, message: found.message };
};

const firstState = (pod: Pod, ms: number): unknown => statusAt(pod, ms).containerStatuses?.[0]?.state;

describe("a simulated pod", () => {
  test("lets an ephemeral container run when it is added, once, and end with the pod", () => {
    const before = live(podWith(), 5 * second);
    const debug = podWith({
      spec: {
        ephemeralContainers: [
          { name: "look", command: ["sleep", "3"] },
          { name: "stay", command: ["sleep", "100"] },
        ],
      },
    });
    const ends = (pod: Pod, step: LifeStep, now: number): unknown[] => {
      const { life } = next(step, at(pod, now));
      const status = podStatusOf({ ...at(pod, now), life, hostIP: "172.18.0.1", podIP: "10.244.1.2" });
      return (status.ephemeralContainerStatuses ?? []).map(
        ({ state }) => state?.terminated?.exitCode ?? Object.keys(state ?? {})[0],
      );
    };
    const added = next(before, at(debug, 6 * second));
    expect(added.dueAt).toBe(9 * second);
    expect(ends(debug, added, 7 * second)).toEqual(["running", "running"]);
    expect(ends(debug, added, 20 * second)).toEqual([0, "running"]);
    const deleted = { ...debug, metadata: { ...debug.metadata, deletionTimestamp: "1970-01-01T00:00:20Z" } };
    expect(ends(deleted, next(added, at(debug, 10 * second)), 20 * second)).toEqual([0, 143]);
  });

  test("keeps the termination message of a container that ends by itself", () => {
    const command = ["sh", "-c", "echo -n OK > /dev/termination-log"];
    const pod = podWith({ spec: { restartPolicy: "Never", containers: [{ name: "web", image: "busybox", command }] } });
    expect(firstState(pod, 5 * second)).toMatchObject({ terminated: { exitCode: 0, message: "OK" } });
  });

  test("runs and is ready at once, for ever, unless it is told otherwise", () => {
    const { life, dueAt, happenings } = live(podWith(), 0);
    expect(phaseOf(podWith(), life)).toBe("Running");
    expect(dueAt).toBe(Number.POSITIVE_INFINITY);
    expect(happenings.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      'Pulled Container image "nginx" already present on machine and can be accessed by the pod',
      "Created Container created",
      "Started Container started",
    ]);
    expect(condition(podWith(), 0, "Ready")).toEqual({ status: "True" });
  });

  test("reports as a kubelet does: conditions in their order, addresses, container statuses", () => {
    expect(statusAt(podWith({ metadata: { generation: 2 } }), 5 * second)).toEqual({
      observedGeneration: 2,
      phase: "Running",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        (type) => ({
          type,
          status: "True",
          observedGeneration: 2,
          lastTransitionTime: "1970-01-01T00:00:05Z",
        }),
      ),
      hostIP: "172.18.0.1",
      hostIPs: [{ ip: "172.18.0.1" }],
      podIP: "10.244.1.2",
      podIPs: [{ ip: "10.244.1.2" }],
      startTime: "1970-01-01T00:00:00Z",
      containerStatuses: [
        {
          name: "web",
          state: { running: { startedAt: "1970-01-01T00:00:00Z" } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: "nginx",
          imageID: "",
          containerID: "simulated://u/web/0",
          started: true,
        },
      ],
    });
  });

  test("is Pending with its container being created until its start is over", () => {
    const pod = podWith({ annotations: { "start-after": "3s" } });
    expect(statusAt(pod, 2 * second).phase).toBe("Pending");
    expect(firstState(pod, 2 * second)).toEqual({ waiting: { reason: "ContainerCreating" } });
    expect(live(pod, 2 * second).dueAt).toBe(3 * second);
    expect(statusAt(pod, 3 * second).phase).toBe("Running");
  });

  test("crashes at once again the first time, then after 10 s, 20 s, 40 s … 300 s", () => {
    const pod = podWith({ annotations: { "crash-every": "1s" } });
    expect([0, 1, 2, 3, 5, 6, 7].map(crashDelayMs)).toEqual([0, 10, 20, 40, 160, 300, 300].map((s) => s * second));
    // runs 0…1, 1…2, waits to 12, runs to 13, waits 20 to 33
    const restarts = (ms: number): unknown => statusAt(pod, ms).containerStatuses?.[0]?.restartCount;
    expect([0, 1, 2, 11, 12, 13, 32, 33].map((s) => restarts(s * second))).toEqual([0, 1, 1, 1, 2, 2, 2, 3]);
    expect(firstState(pod, 5 * second)).toEqual({
      waiting: {
        reason: "CrashLoopBackOff",
        message: "back-off 10s restarting failed container=web pod=p_default(u)",
      },
    });
    expect(statusAt(pod, 5 * second)).toMatchObject({
      phase: "Running",
      containerStatuses: [{ ready: false, lastState: { terminated: { exitCode: 1, reason: "Error" } } }],
    });
    expect(condition(pod, 5 * second, "Ready")).toEqual({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [web]",
    });
    const { happenings } = live(pod, 5 * second);
    expect(happenings.at(-1)?.message).toBe("Back-off restarting failed container web in pod p_default(u)");
  });

  test("forgets its crashes after ten minutes of running", () => {
    const pod = podWith({ annotations: { "crash-every": "11m" } });
    const { life } = live(pod, 5 * 11 * 60 * second);
    expect(life.main[0]).toMatchObject({ restarts: 5, crashes: 1, state: { type: "running" } });
  });

  test.each([
    { restartPolicy: "Never", exitCode: 0, phase: "Succeeded" },
    { restartPolicy: "Never", exitCode: 3, phase: "Failed" },
    { restartPolicy: "OnFailure", exitCode: 0, phase: "Succeeded" },
    { restartPolicy: "OnFailure", exitCode: 3, phase: "Running" },
    { restartPolicy: "Always", exitCode: 0, phase: "Running" },
  ] as const)("with $restartPolicy and exit code $exitCode it is $phase", ({ restartPolicy, exitCode, phase }) => {
    const pod = podWith({ spec: { restartPolicy }, annotations: { "run-for": "5s", "exit-code": `${exitCode}` } });
    expect(statusAt(pod, 4 * second).phase).toBe("Running");
    expect(statusAt(pod, 6 * second).phase).toBe(phase);
  });

  test("of a Job ends by itself after a second", () => {
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "j", controller: true }];
    const pod = podWith({ spec: { restartPolicy: "Never" }, metadata: { ownerReferences } });
    expect(statusAt(pod, second)).toMatchObject({
      phase: "Succeeded",
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: "Completed" } }, ready: false }],
    });
    expect(condition(pod, second, "Ready")).toEqual({ status: "False", reason: "PodCompleted" });
    expect(condition(pod, second, "Initialized")).toEqual({ status: "True", reason: "PodCompleted" });
    expect(condition(pod, second, "PodReadyToStartContainers")).toEqual({ status: "False" });
  });

  test("whose image cannot be pulled alternates between the failure and the wait", () => {
    const pod = podWith({ annotations: { "image-pull": "fail" } });
    expect(statusAt(pod, 0).phase).toBe("Pending");
    const reason = (s: number): unknown =>
      (firstState(pod, s * second) as { waiting?: { reason?: string } }).waiting?.reason;
    expect([0, 1, 9, 10, 11, 29, 30].map(reason)).toEqual([
      "ErrImagePull",
      "ImagePullBackOff",
      "ImagePullBackOff",
      "ErrImagePull",
      "ImagePullBackOff",
      "ImagePullBackOff",
      "ErrImagePull",
    ]);
    const why = `failed to pull image "nginx": this simulated pod's image cannot be pulled`;
    expect(live(pod, 9 * second).happenings.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(
      [
        'Normal Pulling Pulling image "nginx"',
        `Warning Failed Failed to pull image "nginx": ${why}`,
        "Warning Failed Error: ErrImagePull",
        'Normal BackOff Back-off pulling image "nginx"',
        "Warning Failed Error: ImagePullBackOff",
      ],
    );
  });

  test("runs but is not ready while its annotation says so", () => {
    const pod = podWith({ annotations: { ready: "false" } });
    expect(statusAt(pod, 60 * second)).toMatchObject({ phase: "Running", containerStatuses: [{ ready: false }] });
    const { life } = live(pod, 60 * second);
    const changed = podWith({ annotations: { ready: "true" } });
    expect(
      podStatusOf({ ...at(changed, 61 * second), life, hostIP: "", podIP: "" }).containerStatuses?.[0]?.ready,
    ).toBe(true);
  });

  test("counts as started, then as ready, when its probes would have passed", () => {
    const probes = { startupProbe: { initialDelaySeconds: 3 }, readinessProbe: { initialDelaySeconds: 5 } };
    const pod = podWith({ spec: { containers: [{ name: "web", image: "nginx", ...probes }] } });
    const seen = (s: number): unknown => {
      const { ready, started } = statusAt(pod, s * second).containerStatuses?.[0] ?? {};
      return [started, ready];
    };
    expect([0, 2, 3, 4, 5].map(seen)).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
    expect([live(pod, 0).dueAt, live(pod, 3 * second).dueAt]).toEqual([3 * second, 5 * second]);
  });

  test("is ready after its delay", () => {
    const pod = podWith({ annotations: { "ready-after": "4s" } });
    expect(live(pod, 0).dueAt).toBe(4 * second);
    expect(condition(pod, 3 * second, "Ready")).toMatchObject({ status: "False" });
    expect(condition(pod, 4 * second, "Ready")).toEqual({ status: "True" });
  });

  test("waits for the conditions of its readiness gates", () => {
    const pod = podWith({ spec: { readinessGates: [{ conditionType: "x/a" }, { conditionType: "x/b" }] } });
    const status = { conditions: [{ type: "x/b", status: "False" }] } as const;
    expect(condition({ ...pod, status }, 0, "Ready")).toEqual({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message:
        'corresponding condition of pod readiness gate "x/a" does not exist., the status of pod readiness gate "x/b" is not "True", but False',
    });
    expect(condition({ ...pod, status }, 0, "ContainersReady")).toEqual({ status: "True" });
  });

  test("lives faster by its speed", () => {
    const pod = podWith({ spec: { restartPolicy: "Never" }, annotations: { "run-for": "60s" } });
    expect(statusAt(pod, 5_999, 10).phase).toBe("Running");
    expect(statusAt(pod, 6_000, 10).phase).toBe("Succeeded");
  });
});

describe("init containers and sidecars", () => {
  const init = (name: string): Container => ({ name, image: "busybox" });
  const sidecar = (name: string): Container => ({ ...init(name), restartPolicy: "Always" });

  test("run one after the other before the main ones", () => {
    const pod = podWith({
      spec: { initContainers: [init("a"), init("b")] },
      annotations: { "run-for.a": "2s", "run-for.b": "3s" },
    });
    const running = (s: number): readonly string[] => {
      const { initContainerStatuses = [], containerStatuses = [] } = statusAt(pod, s * second);
      return [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state }) =>
        state?.running === undefined ? [] : [name],
      );
    };
    expect([0, 1, 2, 4, 5].map(running)).toEqual([["a"], ["a"], ["b"], ["b"], ["web"]]);
    expect(statusAt(pod, second)).toMatchObject({
      phase: "Pending",
      containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
    });
    expect(condition(pod, second, "Initialized")).toEqual({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [a b]",
    });
    expect(statusAt(pod, 5 * second).initContainerStatuses?.every(({ ready }) => ready)).toBe(true);
  });

  test("that fail are tried again, or are the end of a pod that never restarts", () => {
    const annotations = { "exit-code.a": "2" };
    const again = podWith({ spec: { initContainers: [init("a")] }, annotations });
    expect(statusAt(again, second)).toMatchObject({
      phase: "Pending",
      initContainerStatuses: [{ restartCount: 1, state: { waiting: { reason: "CrashLoopBackOff" } } }],
    });
    const never = podWith({ spec: { initContainers: [init("a")], restartPolicy: "Never" }, annotations });
    expect(statusAt(never, second).phase).toBe("Failed");
    expect(live(never, second).dueAt).toBe(Number.POSITIVE_INFINITY);
  });

  test("that are sidecars let the next start once they run, and end after the main ones", () => {
    const pod = podWith({
      spec: { initContainers: [sidecar("proxy"), init("setup")], restartPolicy: "Never" },
      annotations: { "run-for": "5s" },
    });
    expect(statusAt(pod, second)).toMatchObject({
      phase: "Running",
      initContainerStatuses: [
        { name: "proxy", started: true, ready: true, state: { running: {} } },
        { name: "setup", ready: true, state: { terminated: { exitCode: 0 } } },
      ],
    });
    expect(statusAt(pod, 5 * second)).toMatchObject({
      phase: "Succeeded",
      initContainerStatuses: [{ state: { terminated: { exitCode: 0 } } }, {}],
    });
  });

  test("that are sidecars are started again whatever the pod's policy", () => {
    const pod = podWith({
      spec: { initContainers: [sidecar("proxy")], restartPolicy: "Never" },
      annotations: { "crash-every.proxy": "1s" },
    });
    expect(statusAt(pod, 2 * second)).toMatchObject({
      phase: "Running",
      initContainerStatuses: [{ restartCount: 1, state: { waiting: { reason: "CrashLoopBackOff" } } }],
    });
    expect(condition(pod, 2 * second, "ContainersReady")).toMatchObject({
      message: "containers with unready status: [proxy]",
    });
  });
});

describe("a pod that is stopped", () => {
  const deleted = (pod: Pod, graceSeconds: number): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: "1970-01-01T00:01:00Z", deletionGracePeriodSeconds: graceSeconds },
  });
  const stopAt = (pod: Pod, graceSeconds: number, ms: number): LifeStep => {
    const step = live(pod, 10 * second);
    return [10 * second, ms].reduce((last, now) => next(last, at(deleted(pod, graceSeconds), now)), step);
  };

  test("ends at once with 143, and has failed", () => {
    const { life, happenings } = stopAt(podWith(), 30, 10 * second);
    expect(happenings.at(-1)).toMatchObject({ reason: "Killing", message: "Stopping container web" });
    expect(life.main[0]?.state).toMatchObject({ type: "terminated", exitCode: 143, reason: "Error" });
    expect(phaseOf(podWith(), life)).toBe("Failed");
  });

  test("takes the time it needs, and is killed with 137 when its grace is over", () => {
    const pod = podWith({ annotations: { "stop-after": "20s", "stop-exit-code": "0" } });
    expect(stopAt(pod, 30, 29 * second).life.main[0]?.state.type).toBe("running");
    expect(stopAt(pod, 30, 29 * second).dueAt).toBe(30 * second);
    expect(stopAt(pod, 30, 30 * second).life.main[0]?.state).toMatchObject({ exitCode: 0 });
    expect(phaseOf(pod, stopAt(pod, 30, 30 * second).life)).toBe("Succeeded");
    expect(stopAt(pod, 5, 15 * second).life.main[0]?.state).toMatchObject({ exitCode: 137, at: 15 * second });
  });

  test("before it started says that its containers never ran", () => {
    const pod = podWith({ annotations: { "start-after": "1m" } });
    const { life } = stopAt(pod, 30, 10 * second);
    expect(life.main[0]?.state).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" });
    expect(phaseOf(pod, life)).toBe("Failed");
  });

  test("because of its deadline has failed and says why", () => {
    const pod = podWith({ spec: { activeDeadlineSeconds: 30 } });
    expect(live(pod, 0).dueAt).toBe(30 * second);
    expect(statusAt(pod, 30 * second)).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
    expect(live(pod, 30 * second).happenings.at(-1)).toEqual({
      type: "Normal",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
  });
});

test("however often one looks, the same has happened", () => {
  const duration = fc.constantFrom("0s", "1s", "7s", "2m");
  const annotations = fc.record(
    {
      "start-after": duration,
      "run-for": duration,
      "exit-code": fc.constantFrom("0", "1"),
      "run-for.setup": duration,
      "exit-code.setup": fc.constantFrom("0", "1"),
      "ready-after": duration,
      "image-pull": fc.constantFrom("ok", "fail"),
    },
    { requiredKeys: [] },
  );
  const restartPolicy = fc.constantFrom("Always" as const, "OnFailure" as const, "Never" as const);
  const looks = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 });
  fc.assert(
    fc.property(annotations, restartPolicy, looks, (chosen, policy, times) => {
      const told = Object.fromEntries(Object.entries(chosen).filter(([, text]) => text !== undefined)) as Record<
        string,
        string
      >;
      const pod = podWith({
        spec: { restartPolicy: policy, initContainers: [{ name: "setup", image: "busybox" }] },
        annotations: told,
      });
      let life: PodLife = begin({ pod, now: 0 });
      for (const s of times.toSorted((a, b) => a - b)) life = advance(life, at(pod, s * second)).life;
      expect(advance(life, at(pod, 400 * second)).life).toEqual(live(pod, 400 * second).life);
    }),
  );
});
