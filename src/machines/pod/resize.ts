/**
 * Resources that change while a pod runs: takes a pod and its node's answer, gives the state of the change, the events
 * about it, and the containers that it restarts. Pure.
 */
import {
  type Container,
  type ContainerResizePolicy,
  deepEqual,
  findCondition,
  parseTime,
  type Pod,
  type ResourceRequirements,
} from "../../api/index.js";
import type { Behaviour } from "./behaviour.js";
import { type ContainerLife, type Happening, type PodLife, stoppedFor } from "./life.js";
import { defined } from "../../base/defined.js";

/** The node's refusal of a resize: one that may be granted later, or never. */
export interface PendingResize {
  readonly reason: "Deferred" | "Infeasible";
  readonly message: string;
}

export type Resize =
  | { readonly type: "none" }
  | ({ readonly type: "pending" } & PendingResize)
  /** Granted, but not in effect before `until`. */
  | { readonly type: "inProgress"; readonly since: number; readonly until: number }
  | { readonly type: "done" };

export interface ResizeCircumstances {
  readonly pod: Pod;
  readonly now: number;
  /** The node's refusal, if it has one. */
  readonly pending?: PendingResize | undefined;
  readonly behaviourOf: (container: Container) => Behaviour;
}

export const noResize: Resize = { type: "none" };

export function resizeOf({ pod, now, pending, behaviourOf }: ResizeCircumstances): Resize {
  const changed = changedContainers(pod);
  if (changed.length === 0 && !isPodResized(pod)) return noResize;
  if (pending !== undefined) return { type: "pending", ...pending };
  const known = conditionNow(pod, "PodResizeInProgress")?.lastTransitionTime;
  const since = known ? parseTime(known) : now;
  const until = since + Math.max(0, ...changed.map((container) => behaviourOf(container).resizeAfterMs));
  return now < until ? { type: "inProgress", since, until } : { type: "done" };
}

/** The kubelet's events about the state that its conditions do not show as told. */
export function resizeHappenings(pod: Pod, resize: Resize): readonly Happening[] {
  switch (resize.type) {
    case "none":
      return [];
    case "pending": {
      const { reason, message } = resize;
      if (conditionNow(pod, "PodResizePending")?.reason === reason) return [];
      return [
        { type: "Warning", reason: `Resize${reason}`, message: `Pod resize ${reason}: ${summary(pod, message)}` },
      ];
    }
    case "inProgress":
      return started(pod);
    case "done":
      return [
        ...started(pod),
        { type: "Normal", reason: "ResizeCompleted", message: `Pod resize completed: ${summary(pod)}` },
      ];
  }
}

function started(pod: Pod): readonly Happening[] {
  if (conditionNow(pod, "PodResizeInProgress") !== undefined) return [];
  return [{ type: "Normal", reason: "ResizeStarted", message: `Pod resize started: ${summary(pod)}` }];
}

/** Stops the containers whose policy wants a restart for what has changed; they start again at once. */
export function restartResized(
  life: PodLife,
  { pod, now, behaviourOf }: ResizeCircumstances,
): { readonly life: PodLife; readonly happenings: readonly Happening[] } {
  const happenings: Happening[] = [];
  const changed = changedContainers(pod);
  const restarted = (lives: readonly ContainerLife[], containers: readonly Container[] = [], isInit: boolean) =>
    lives.map((own, index) => {
      const container = containers[index] as Container;
      if (own.state.type !== "running" || !changed.includes(container) || !needsRestart(pod, container)) return own;
      const message = `Container ${container.name} resize requires restart`;
      happenings.push({ type: "Normal", reason: "Killing", message, container, isInit });
      return stoppedFor(own, own.state.since, { now, exitCode: behaviourOf(container).stopExitCode });
    });
  const init = restarted(life.init, pod.spec?.initContainers, true);
  const main = restarted(life.main, pod.spec?.containers, false);
  return { life: { ...life, init, main }, happenings };
}

function needsRestart(pod: Pod, { name, resources, resizePolicy = [] }: Container): boolean {
  const before = reportedOf(pod, name);
  return resizePolicy.some(
    ({ resourceName, restartPolicy }: ContainerResizePolicy) =>
      restartPolicy === "RestartContainer" &&
      (["requests", "limits"] as const).some(
        (list) => resources?.[list]?.[resourceName] !== before?.[list]?.[resourceName],
      ),
  );
}

/** The condition, if it is about the pod's present generation. */
function conditionNow({ metadata, status }: Pod, type: string) {
  const known = findCondition(status?.conditions, type);
  return known?.observedGeneration === metadata.generation ? known : undefined;
}

const reportedOf = ({ status }: Pod, container: string): ResourceRequirements | undefined =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === container,
  )?.resources;

/** The containers whose resources differ from the node's last report. */
function changedContainers(pod: Pod): readonly Container[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return containers.filter(({ name, resources }) => differ(reportedOf(pod, name), resources));
}

const isPodResized = ({ spec, status }: Pod): boolean => differ(status?.resources, spec?.resources);

/** Resources that the node has never reported do not differ. */
const differ = (known: ResourceRequirements | undefined, wanted: ResourceRequirements | undefined): boolean =>
  known !== undefined && (!deepEqual(known.requests, wanted?.requests) || !deepEqual(known.limits, wanted?.limits));

function summary({ metadata, spec }: Pod, error?: string): string {
  const list = (containers: readonly Container[]): readonly object[] =>
    containers.map(({ name, resources: { limits, requests } = {} }) => ({
      name,
      resources: defined({ limits, requests }),
    }));
  const { initContainers = [], containers = [] } = spec ?? {};
  return JSON.stringify({
    ...(initContainers.length > 0 && { initContainers: list(initContainers) }),
    containers: list(containers),
    generation: metadata.generation ?? 0,
    ...defined({ error }),
  });
}
