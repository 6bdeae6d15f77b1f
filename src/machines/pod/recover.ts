/** Reads the life of a pod that an earlier run of the nodes began back from its status, as far as possible. */
import {
  type Container,
  type ContainerState as ApiState,
  type ContainerStatus,
  parseTime,
  type Pod,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { begin, type ContainerLife, type ContainerState, freshStart, type PodLife, type Terminated } from "./life.js";

/** Facts that the status does not hold (the crashes in a row, the start of a wait) are estimated. */
export function recover(pod: Pod, now: number): PodLife {
  const { status } = pod;
  const fresh = begin({ pod, now });
  if (status?.startTime === undefined || status.containerStatuses === undefined) return fresh;
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const seen = ephemeralContainers.filter(({ name }) =>
    status.ephemeralContainerStatuses?.some((one) => one.name === name),
  );
  const unseen = seen.map(() => freshStart("ContainerCreating"));
  return {
    startedAt: timeOr(status.startTime, now),
    init: recoverAll(initContainers, { statuses: status.initContainerStatuses, fresh: fresh.init, now }),
    main: recoverAll(containers, { statuses: status.containerStatuses, fresh: fresh.main, now }),
    ephemeral: recoverAll(seen, { statuses: status.ephemeralContainerStatuses, fresh: unseen, now }),
  };
}

interface Found {
  readonly statuses: readonly ContainerStatus[] | undefined;
  readonly fresh: readonly ContainerLife[];
  readonly now: number;
}

function recoverAll(containers: readonly Container[], { statuses, fresh, now }: Found): readonly ContainerLife[] {
  return containers.map((container, i) => {
    const status = statuses?.find(({ name }) => name === container.name);
    const unknown = fresh[i] as ContainerLife;
    if (status === undefined) return unknown;
    const state = stateFrom(status.state, now);
    const last =
      status.lastState?.terminated === undefined ? undefined : terminatedFrom(status.lastState.terminated, now);
    if (state === undefined && last === undefined) return unknown;
    return {
      state: state ?? { type: "waiting", reason: "CrashLoopBackOff", until: now },
      ...defined({ last }),
      restarts: status.restartCount,
      crashes: last === undefined ? 0 : status.restartCount + 1,
      pulls: 0,
    };
  });
}

/** Undefined for a waiting container: it goes on at once. */
function stateFrom(state: ApiState | undefined, now: number): ContainerState | undefined {
  // a clock that was set back must not make a running container wait for its own start
  if (state?.running !== undefined)
    return { type: "running", since: Math.min(timeOr(state.running.startedAt, now), now) };
  return state?.terminated === undefined ? undefined : terminatedFrom(state.terminated, now);
}

function terminatedFrom(state: NonNullable<ApiState["terminated"]>, now: number): Terminated {
  const { exitCode, reason = "", message, startedAt, finishedAt } = state;
  return {
    type: "terminated",
    ...(startedAt === undefined ? {} : { since: timeOr(startedAt, now) }),
    at: timeOr(finishedAt, now),
    exitCode,
    reason,
    ...defined({ message }),
  };
}

function timeOr(text: string | null | undefined, now: number): number {
  if (typeof text !== "string") return now;
  try {
    return parseTime(text);
  } catch {
    return now;
  }
}
