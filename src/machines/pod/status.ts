/** A pod's life as a kubelet reports it: phase, conditions, container statuses. Pure. */
import {
  type Container,
  type ContainerStatus,
  findCondition,
  formatTime,
  type Pod,
  type PodCondition,
  type PodStatus,
  type ResourceRequirements,
} from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import type { Behaviour } from "./behaviour.js";
import {
  type ContainerLife,
  type ContainerState,
  hasFailedToInitialise,
  isInitialised,
  isOver,
  type PodLife,
} from "./life.js";
import type { Resize } from "./resize.js";

type PodPhase = NonNullable<PodStatus["phase"]>;

export interface Reporting {
  readonly pod: Pod;
  readonly life: PodLife;
  readonly now: number;
  readonly hostIP: string;
  readonly podIP: string;
  readonly behaviourOf: (container: Container) => Behaviour;
  /** The state of a change of resources; none by default. */
  readonly resize?: Resize;
}

/** The part of the status that the kubelet owns, without conditions of others. */
export function podStatusOf(reporting: Reporting): PodStatus {
  const { pod, life, now, hostIP, podIP } = reporting;
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const initStatuses = initContainers.map((container, i) => containerStatus(reporting, container, life.init[i], true));
  const statuses = containers.map((container, i) => containerStatus(reporting, container, life.main[i], false));
  const ephemeralStatuses = (pod.spec?.ephemeralContainers ?? []).map((container, i) => ({
    ...containerStatus(reporting, container, life.ephemeral?.[i], false),
    ready: false,
  }));
  const phase = phaseOf(pod, life);
  const { generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const nowText = formatTime(now);
  return {
    ...observed,
    phase,
    ...life.stopping?.failure,
    conditions: conditionsOf(reporting, { phase, initStatuses, statuses }).map((condition) => ({
      lastTransitionTime: sinceWhen(pod, condition) ?? nowText,
      ...condition,
      ...observed,
    })),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? formatTime(life.startedAt),
    ...given(pod.spec?.resources, pod.status, reporting.resize),
    ...defined({ initContainerStatuses: unlessEmpty(initStatuses) }),
    containerStatuses: statuses,
    ...defined({ ephemeralContainerStatuses: unlessEmpty(ephemeralStatuses) }),
  };
}

/** The transition time of an unchanged condition; undefined if it changed or is new. */
function sinceWhen({ status }: Pod, { type, status: state }: PodCondition): string | undefined {
  const known = findCondition(status?.conditions, type);
  return known?.status === state ? known.lastTransitionTime || undefined : undefined;
}

function containerStatus(
  { pod, now, behaviourOf, resize }: Reporting,
  container: Container,
  life: ContainerLife | undefined,
  isInit: boolean,
): ContainerStatus {
  if (life === undefined) throw new Error(`invariant 1: container ${container.name} has no life`);
  const { state, last, restarts } = life;
  const idOf = (start: number): string => `simulated://${pod.metadata.uid ?? ""}/${container.name}/${start}`;
  const hasRun = state.type === "running" || (state.type === "terminated" && state.since !== undefined);
  const containerID = hasRun ? idOf(restarts) : last === undefined ? undefined : idOf(restarts);
  return {
    name: container.name,
    state: stateOf(state, idOf(restarts)),
    lastState:
      last === undefined || state === last ? {} : stateOf(last, idOf(Math.max(0, restarts - (hasRun ? 1 : 0)))),
    ready: isReady(state, { isInit, container, behaviour: behaviourOf(container), now }),
    restartCount: restarts,
    image: container.image ?? "",
    imageID: "",
    ...defined({ containerID }),
    started: state.type === "running" && state.since + behaviourOf(container).startedAfterMs <= now,
    ...given(container.resources, reportedOf(pod, container.name), resize),
  };
}

type Given = Pick<ContainerStatus, "resources" | "allocatedResources">;

/**
 * The granted requests, and the resources in effect; both as before while a resize waits, the latter also while it is
 * in progress. Nothing for a container, or a pod as a whole, without requests and limits.
 */
function given(wanted: ResourceRequirements | undefined, before: Given | undefined, resize?: Resize): Given {
  if (resize?.type === "pending" && before?.resources !== undefined) {
    const { resources, allocatedResources } = before;
    return { resources, ...defined({ allocatedResources }) };
  }
  const { requests, limits } = wanted ?? {};
  if (requests === undefined && limits === undefined) return {};
  const now = defined({ limits, requests });
  const resources = resize?.type === "inProgress" ? (before?.resources ?? now) : now;
  return requests === undefined ? { resources } : { allocatedResources: requests, resources };
}

const reportedOf = ({ status }: Pod, container: string): ContainerStatus | undefined =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === container,
  );

function stateOf(state: ContainerState, containerID: string): NonNullable<ContainerStatus["state"]> {
  switch (state.type) {
    case "waiting":
      return { waiting: { reason: state.reason, ...defined({ message: state.message }) } };
    case "running":
      return { running: { startedAt: formatTime(state.since) } };
    case "terminated": {
      const { exitCode, reason, message, since, at } = state;
      const finishedAt = formatTime(at);
      const said = message === undefined ? {} : { message };
      if (since === undefined) return { terminated: { exitCode, reason, ...said, finishedAt } };
      return { terminated: { exitCode, reason, ...said, startedAt: formatTime(since), finishedAt, containerID } };
    }
  }
}

function isReady(
  state: ContainerState,
  {
    isInit,
    container,
    behaviour,
    now,
  }: { readonly isInit: boolean; readonly container: Container; readonly behaviour: Behaviour; readonly now: number },
): boolean {
  if (isInit && container.restartPolicy !== "Always") return state.type === "terminated" && state.exitCode === 0;
  return state.type === "running" && behaviour.ready && state.since + behaviour.readyAfterMs <= now;
}

/** Waiting for a restart is not waiting for the first start. */
const neverStarted = ({ state, last }: ContainerLife): boolean => state.type === "waiting" && last === undefined;

export function phaseOf(pod: Pod, life: PodLife): PodPhase {
  const { initContainers = [] } = pod.spec ?? {};
  if (hasFailedToInitialise(life, pod)) return "Failed";
  const runs = [...life.init, ...life.main].some(({ state }) => state.type === "running");
  if (isOver(life) && !runs) {
    if (life.stopping?.failure !== undefined) return "Failed";
    return life.main.every(({ state }) => state.type === "terminated" && state.exitCode === 0) ? "Succeeded" : "Failed";
  }
  const initialised = initContainers.every((container, i) => isInitialised(life.init[i] as ContainerLife, container));
  const mainHasRun = life.main.some((own) => !neverStarted(own));
  if (!initialised && !mainHasRun) return "Pending";
  return life.main.some(neverStarted) ? "Pending" : "Running";
}

interface Statuses {
  readonly phase: PodPhase;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
}

type BareCondition = Pick<PodCondition, "type" | "status" | "reason" | "message" | "lastTransitionTime">;

function conditionsOf({ pod, life, resize }: Reporting, statuses: Statuses): readonly BareCondition[] {
  const containersReady = containersReadyCondition(pod, statuses);
  return [
    {
      type: "PodReadyToStartContainers",
      status: statuses.phase === "Succeeded" || statuses.phase === "Failed" ? "False" : "True",
    },
    initialisedCondition(pod, life, statuses),
    readyCondition(pod, containersReady),
    containersReady,
    { type: "PodScheduled", status: "True" },
    ...resizeConditions(resize),
  ];
}

function resizeConditions(resize: Resize | undefined): readonly BareCondition[] {
  if (resize?.type === "pending") {
    const { reason, message } = resize;
    return [{ type: "PodResizePending", status: "True", reason, message }];
  }
  if (resize?.type !== "inProgress") return [];
  return [{ type: "PodResizeInProgress", status: "True", lastTransitionTime: formatTime(resize.since) }];
}

function initialisedCondition(pod: Pod, life: PodLife, { phase }: Statuses): BareCondition {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  if (life.main.some((own) => !neverStarted(own))) return { type, status: "True" };
  const incomplete = (pod.spec?.initContainers ?? []).filter(
    (container, i) => !isInitialised(life.init[i] as ContainerLife, container),
  );
  if (incomplete.length === 0) return { type, status: "True" };
  const message = `containers with incomplete status: [${incomplete.map(({ name }) => name).join(" ")}]`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

function containersReadyCondition(pod: Pod, { phase, initStatuses, statuses }: Statuses): BareCondition {
  const type = "ContainersReady";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const sidecars = initStatuses.filter((_, i) => pod.spec?.initContainers?.[i]?.restartPolicy === "Always");
  const unready = [...sidecars, ...statuses].filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return { type, status: "True" };
  const message = `containers with unready status: [${unready.join(" ")}]`;
  return { type, status: "False", reason: "ContainersNotReady", message };
}

function readyCondition(pod: Pod, containersReady: BareCondition): BareCondition {
  const type = "Ready";
  if (containersReady.status !== "True") return { ...containersReady, type };
  const missing = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = findCondition(pod.status?.conditions, conditionType);
    const gate = `pod readiness gate ${JSON.stringify(conditionType)}`;
    if (condition === undefined) return [`corresponding condition of ${gate} does not exist.`];
    return condition.status === "True" ? [] : [`the status of ${gate} is not "True", but ${condition.status}`];
  });
  if (missing.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ReadinessGatesNotReady", message: missing.join(", ") };
}
