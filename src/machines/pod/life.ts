/**
 * The life of a simulated pod: a pure state machine. Each transition happens at its due time, even if `advance` is
 * called later, so the result does not depend on how often it is called.
 */
import { defined } from "../../base/defined.js";
import { type Container, isDeleting, type Pod } from "../../api/index.js";
import type { Behaviour } from "./behaviour.js";
import { crashDelayMs, pullDelayMs, restarts, resetAfterMs, shortPauseMs } from "./restarts.js";

/** Times are milliseconds since the epoch. */
export type ContainerState =
  | { readonly type: "waiting"; readonly reason: string; readonly message?: string; readonly until: number }
  | { readonly type: "running"; readonly since: number }
  | Terminated;

export interface Terminated {
  readonly type: "terminated";
  /** Undefined if it never ran. */
  readonly since?: number;
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

/** One container. `restarts` counts starts after the first; `crashes` and `pulls` are failures in a row, for the back-off. */
export interface ContainerLife {
  readonly state: ContainerState;
  readonly last?: Terminated;
  readonly restarts: number;
  readonly crashes: number;
  readonly pulls: number;
}

/**
 * Invariants:
 * 1. `init` and `main` have a life for each container of the spec, in its order.
 * 2. A main container starts only after every init container has ended with 0, or runs if it is a sidecar.
 * 3. While `stopping`, no container starts.
 */
export interface PodLife {
  readonly startedAt: number;
  readonly init: readonly ContainerLife[];
  readonly main: readonly ContainerLife[];
  /** Ephemeral containers, in the spec's order; they are never restarted. */
  readonly ephemeral?: readonly ContainerLife[];
  readonly stopping?: Stopping;
}

interface Stopping {
  readonly since: number;
  /** The reason why the node stops the pod by itself; absent if the pod is being deleted. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** An event of the pod's life, which the kubelet records. */
export interface Happening {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Absent if it is about the pod as a whole. */
  readonly container?: Container;
  readonly isInit?: boolean;
}

export interface Circumstances {
  readonly pod: Pod;
  readonly now: number;
  readonly speed: number;
  readonly behaviourOf: (container: Container) => Behaviour;
}

export interface LifeStep {
  readonly life: PodLife;
  /** The time of the next transition; infinite if none is due by itself. */
  readonly dueAt: number;
  readonly happenings: readonly Happening[];
}

/** The life of a pod that arrives on its node now. */
export function begin({ pod, now }: Pick<Circumstances, "pod" | "now">): PodLife {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const reason = initContainers.length > 0 ? "PodInitializing" : "ContainerCreating";
  return {
    startedAt: now,
    init: initContainers.map(() => freshStart(reason)),
    main: containers.map(() => freshStart(reason)),
  };
}

/** A container that waits for its turn, which the containers before it decide. */
export function freshStart(reason: string): ContainerLife {
  return { state: { type: "waiting", reason, until: Number.POSITIVE_INFINITY }, restarts: 0, crashes: 0, pulls: 0 };
}

/** More than a pod can do in one call; the rest is done in the next. */
const maxTransitions = 1_000;

/** Makes all transitions that are due by now. */
export function advance(life: PodLife, circumstances: Circumstances): LifeStep {
  const happenings: Happening[] = [];
  let current = life;
  for (let count = 0; count < maxTransitions; count++) {
    const next = transition(current, circumstances, happenings);
    if (next.life === undefined) return withEphemeral({ life: current, dueAt: next.dueAt, happenings }, circumstances);
    current = next.life;
  }
  return { life: current, dueAt: circumstances.now, happenings };
}

/** Ephemeral containers start when they are first seen, and end with the pod at the latest. */
function withEphemeral(step: LifeStep, circumstances: Circumstances): LifeStep {
  const { pod, now } = circumstances;
  const containers = pod.spec?.ephemeralContainers ?? [];
  if (containers.length === 0) return step;
  const happenings = [...step.happenings];
  const isEnding = step.life.stopping !== undefined || isOver(step.life);
  let { dueAt } = step;
  const ephemeral = containers.map((container, index) => {
    const behaviour = circumstances.behaviourOf(container);
    const until = now + behaviour.startAfterMs;
    const unseen = { ...freshStart(""), state: { type: "waiting", reason: "ContainerCreating", until } } as const;
    let own: ContainerLife = step.life.ephemeral?.[index] ?? unseen;
    while (own.state.type !== "terminated") {
      if (isEnding) {
        if (own.state.type === "waiting") return own;
        return { ...own, state: ended(own.state.since, now, behaviour.stopExitCode) };
      }
      const next = goOn(own, { container, isInit: false, startAt: now }, circumstances, happenings);
      if (next.life === undefined) {
        dueAt = Math.min(dueAt, next.dueAt);
        return own;
      }
      own = next.life;
    }
    return own;
  });
  return { life: { ...step.life, ephemeral }, dueAt, happenings };
}

type Transition<Life> =
  | { readonly life: Life; readonly dueAt?: undefined }
  | { readonly life: undefined; readonly dueAt: number };

/** The earliest transition that is due; if none is, the time of the next one. */
function transition(life: PodLife, circumstances: Circumstances, happenings: Happening[]): Transition<PodLife> {
  const stop = stopping(life, circumstances, happenings);
  if (stop !== undefined) return { life: stop };
  if (life.stopping !== undefined) return windDown(life, life.stopping, circumstances);
  const { pod, now } = circumstances;
  if (hasEnded(life, pod)) {
    const ended = endSidecars(life, now);
    return ended === undefined ? { life: undefined, dueAt: never } : { life: ended };
  }
  let dueAt = deadlineOf(life, circumstances);
  const initContainers = pod.spec?.initContainers ?? [];
  for (const [index, container] of initContainers.entries()) {
    const own = life.init[index] as ContainerLife;
    const next = goOn(own, { container, isInit: true, startAt: readyToInit(life, index) }, circumstances, happenings);
    if (next.life !== undefined) return { life: { ...life, init: life.init.with(index, next.life) } };
    dueAt = Math.min(dueAt, next.dueAt);
    if (!isInitialised(own, container)) {
      // a failure without a restart is the end of the pod
      return own.state.type === "terminated" ? { life: undefined, dueAt: never } : { life: undefined, dueAt };
    }
  }
  const startAt = readyToInit(life, initContainers.length);
  for (const [index, container] of (pod.spec?.containers ?? []).entries()) {
    const own = life.main[index] as ContainerLife;
    const next = goOn(own, { container, isInit: false, startAt }, circumstances, happenings);
    if (next.life !== undefined) return { life: { ...life, main: life.main.with(index, next.life) } };
    dueAt = Math.min(dueAt, next.dueAt);
  }
  return { life: undefined, dueAt };
}

const never = Number.POSITIVE_INFINITY;

/** Whether all main containers have ended. Between transitions this may be temporary; in the result of `advance` it is final. */
export const isOver = ({ main }: PodLife): boolean => main.every(({ state }) => state.type === "terminated");

const hasEnded = ({ main }: PodLife, pod: Pod): boolean =>
  (pod.spec?.containers ?? []).every((container, index) => {
    const state = main[index]?.state;
    return state?.type === "terminated" && !restarts(pod, container, { isInit: false, exitCode: state.exitCode });
  });

/** The time when the init container with this index may start: when all before it allow it. */
function readyToInit({ startedAt, init }: PodLife, index: number): number {
  const before = init.slice(0, index);
  return before.reduce((latest, { state }) => Math.max(latest, endOrStart(state)), startedAt);
}

function endOrStart(state: ContainerState): number {
  if (state.type === "terminated") return state.at;
  return state.type === "running" ? state.since : 0;
}

/** A sidecar that has run once stays initialised, whatever happens to it later. */
export function isInitialised({ state, last }: ContainerLife, container: Container): boolean {
  if (container.restartPolicy === "Always") return state.type === "running" || last !== undefined;
  return state.type === "terminated" && state.exitCode === 0;
}

interface Place {
  readonly container: Container;
  readonly isInit: boolean;
  /** The time when the containers before it allowed it to start. */
  readonly startAt: number;
}

/** The next transition of one container, if the pod is not being stopped. */
function goOn(
  life: ContainerLife,
  { container, isInit, startAt }: Place,
  circumstances: Circumstances,
  happenings: Happening[],
): Transition<ContainerLife> {
  const { state } = life;
  const { now, pod, speed } = circumstances;
  const tell = (type: Happening["type"], reason: string, message: string): void => {
    happenings.push({ type, reason, message, container, isInit });
  };
  const behaviour = circumstances.behaviourOf(container);
  switch (state.type) {
    case "waiting": {
      const at = state.until === never ? startAt + behaviour.startAfterMs : state.until;
      if (at > now) return { life: undefined, dueAt: at };
      if (behaviour.imagePull === "fail" && life.restarts === 0) {
        return { life: failToPull(life, { container, at, speed }, tell) };
      }
      const image = JSON.stringify(container.image ?? "");
      tell("Normal", "Pulled", `Container image ${image} already present on machine and can be accessed by the pod`);
      tell("Normal", "Created", "Container created");
      tell("Normal", "Started", "Container started");
      const restarts = life.last === undefined ? 0 : life.restarts + 1;
      const { state: _, ...before } = life;
      return { life: { state: { type: "running", since: at }, ...before, restarts, pulls: 0 } };
    }
    case "running": {
      const at = state.since + behaviour.runForMs;
      if (at > now) return { life: undefined, dueAt: Math.min(at, nextMilestone(state.since, behaviour, now)) };
      const { exitCode, terminationMessage } = behaviour;
      return {
        life: { ...life, state: { ...ended(state.since, at, exitCode), ...defined({ message: terminationMessage }) } },
      };
    }
    case "terminated": {
      if (!restarts(pod, container, { isInit, exitCode: state.exitCode })) return { life: undefined, dueAt: never };
      const ranMs = state.at - (state.since ?? state.at);
      const crashes = ranMs >= resetAfterMs / speed ? 0 : life.crashes;
      const delayMs = crashDelayMs(crashes);
      if (delayMs > 0) {
        tell("Warning", "BackOff", `Back-off restarting failed container ${container.name} in pod ${podTitle(pod)}`);
      }
      const message = `back-off ${delayMs / 1000}s restarting failed container=${container.name} pod=${podTitle(pod)}`;
      const waiting = {
        type: "waiting",
        reason: "CrashLoopBackOff",
        message,
        until: state.at + delayMs / speed,
      } as const;
      return { life: { ...life, state: waiting, last: state, crashes: crashes + 1 } };
    }
  }
}

/** The next time at which it counts as started or becomes ready; `never` if both are past. */
function nextMilestone(since: number, { ready, startedAfterMs, readyAfterMs }: Behaviour, now: number): number {
  if (since + startedAfterMs > now) return since + startedAfterMs;
  return ready && since + readyAfterMs > now ? since + readyAfterMs : never;
}

const ended = (since: number, at: number, exitCode: number): Terminated => ({
  type: "terminated",
  since,
  at,
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
});

/** A running container that its node has stopped, and starts again at once. */
export const stoppedFor = (
  life: ContainerLife,
  since: number,
  { now, exitCode }: { readonly now: number; readonly exitCode: number },
): ContainerLife => ({
  ...life,
  last: ended(since, now, exitCode),
  state: { type: "waiting", reason: "ContainerCreating", until: now },
});

/** A pod as the kubelet's messages print it. */
const podTitle = ({ metadata: { name, namespace = "", uid = "" } }: Pod): string => `${name}_${namespace}(${uid})`;

/** A failed pull shows as ErrImagePull for a moment, then as the back-off. */
function failToPull(
  life: ContainerLife,
  { container, at, speed }: { readonly container: Container; readonly at: number; readonly speed: number },
  tell: (type: Happening["type"], reason: string, message: string) => void,
): ContainerLife {
  const image = JSON.stringify(container.image ?? "");
  const why = `failed to pull image ${image}: this simulated pod's image cannot be pulled`;
  if (life.state.type === "waiting" && life.state.reason === "ErrImagePull") {
    const message = `Back-off pulling image ${image}`;
    tell("Normal", "BackOff", message);
    tell("Warning", "Failed", "Error: ImagePullBackOff");
    const until = at + pullDelayMs(life.pulls - 1) / speed - shortPauseMs / speed;
    const reason = "ImagePullBackOff";
    return { ...life, state: { type: "waiting", reason, message: `${message}: ErrImagePull: ${why}`, until } };
  }
  tell("Normal", "Pulling", `Pulling image ${image}`);
  tell("Warning", "Failed", `Failed to pull image ${image}: ${why}`);
  tell("Warning", "Failed", "Error: ErrImagePull");
  const state = { type: "waiting", reason: "ErrImagePull", message: why, until: at + shortPauseMs / speed } as const;
  return { ...life, state, pulls: life.pulls + 1 };
}

function deadlineOf({ startedAt }: PodLife, { pod, speed }: Circumstances): number {
  const seconds = pod.spec?.activeDeadlineSeconds;
  return seconds === undefined ? never : startedAt + (seconds * 1_000) / speed;
}

/** The life with the stop begun, if one is due that has not begun yet. */
function stopping(life: PodLife, circumstances: Circumstances, happenings: Happening[]): PodLife | undefined {
  const { pod, now } = circumstances;
  if (life.stopping !== undefined || hasFailedToInitialise(life, pod)) return undefined;
  const overdue = deadlineOf(life, circumstances) <= now && !isOver(life);
  if (!isDeleting(pod) && !overdue) return undefined;
  const told = (container: Container, isInit: boolean, { state }: ContainerLife): void => {
    if (state.type !== "running") return;
    const message = `Stopping container ${container.name}`;
    happenings.push({ type: "Normal", reason: "Killing", message, container, isInit });
  };
  for (const [i, container] of (pod.spec?.containers ?? []).entries())
    told(container, false, life.main[i] as ContainerLife);
  for (const [i, container] of (pod.spec?.initContainers ?? []).entries())
    told(container, true, life.init[i] as ContainerLife);
  if (!overdue) return { ...life, stopping: { since: now } };
  const reason = "DeadlineExceeded";
  const message = "Pod was active on the node longer than the specified deadline";
  happenings.push({ type: "Normal", reason, message });
  return { ...life, stopping: { since: now, failure: { reason, message } } };
}

/** Whether an init container has failed for good: such a pod has failed already, and there is nothing to stop. */
export function hasFailedToInitialise({ init }: PodLife, pod: Pod): boolean {
  return (pod.spec?.initContainers ?? []).some((container, index) => {
    const state = init[index]?.state;
    if (state?.type !== "terminated" || state.exitCode === 0) return false;
    return !restarts(pod, container, { isInit: true, exitCode: state.exitCode });
  });
}

/** Main containers stop first; sidecars when no main container runs any more. */
function windDown(life: PodLife, { since }: Stopping, circumstances: Circumstances): Transition<PodLife> {
  const { pod, now, speed } = circumstances;
  const { deletionGracePeriodSeconds = pod.spec?.terminationGracePeriodSeconds ?? 30 } = pod.metadata;
  const graceMs = (deletionGracePeriodSeconds * 1_000) / speed;
  const stop = (own: ContainerLife, container: Container): { readonly at: number; readonly state: Terminated } => {
    const { stopAfterMs, stopExitCode } = circumstances.behaviourOf(container);
    const at = since + Math.min(stopAfterMs, graceMs);
    if (own.state.type === "running") {
      return { at, state: ended(own.state.since, at, stopAfterMs <= graceMs ? stopExitCode : 137) };
    }
    if (own.last !== undefined) return { at: since, state: own.last };
    const message = "The container could not be located when the pod was terminated";
    return {
      at: since,
      state: { type: "terminated", at: since, exitCode: 137, reason: "ContainerStatusUnknown", message },
    };
  };
  let dueAt = never;
  const settle = (lives: readonly ContainerLife[], containers: readonly Container[]): readonly ContainerLife[] =>
    lives.map((own, index) => {
      if (own.state.type === "terminated") return own;
      const { at, state } = stop(own, containers[index] as Container);
      if (at <= now) return { ...own, state };
      dueAt = Math.min(dueAt, at);
      return own;
    });
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const main = settle(life.main, containers);
  const init = isOver({ ...life, main }) ? settle(life.init, initContainers) : life.init;
  const changed = main.some((own, i) => own !== life.main[i]) || init.some((own, i) => own !== life.init[i]);
  return changed ? { life: { ...life, main, init } } : { life: undefined, dueAt };
}

/** Ends the sidecars after the main containers have ended; undefined if there is nothing to end. */
function endSidecars(life: PodLife, now: number): PodLife | undefined {
  if (life.init.every(({ state }) => state.type === "terminated")) return undefined;
  const at = Math.min(now, Math.max(...life.main.map(({ state }) => endOrStart(state))));
  const init = life.init.map((own): ContainerLife => {
    if (own.state.type === "terminated") return own;
    if (own.state.type === "running")
      return { ...own, state: ended(own.state.since, Math.max(at, own.state.since), 0) };
    return own.last === undefined ? { ...own, state: ended(at, at, 0) } : { ...own, state: own.last };
  });
  return { ...life, init };
}
