/** The table of pods. Its status is one word that summarizes phase, containers and reasons as upstream does. */
import { lookup } from "../../base/members.js";
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  isConditionTrue,
  isDeleting,
  parseTime,
  type Pod,
} from "../../api/index.js";
import { sidecarsOf } from "../../api/pods/containers.js";
import type { TableRenderer } from "../contracts/table.js";
import { humanDuration } from "./human.js";
import { age, columnsOf, name } from "./kind-table.js";

/** The findings about a pod so far. */
interface Summary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  /** The time of the last restart in milliseconds; 0 for never. */
  lastRestart: number;
}

/** The condition of rows for finished pods. */
const completed: Readonly<Record<string, string>> = lookup({
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
});

export const podTable: TableRenderer = {
  columns: columnsOf([
    "Name",
    "Ready",
    "Status",
    "Restarts",
    "Age",
    "IP*",
    "Node*",
    "Nominated Node*",
    "Readiness Gates*",
  ]),
  cells(object, now) {
    const pod = object as Pod;
    const { reason, ready, total, restarts, lastRestart } = summarize(pod);
    const ago = restarts !== 0 && lastRestart > 0 ? ` (${humanDuration(now - lastRestart)} ago)` : "";
    return [
      name(pod),
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      age(pod, now),
      pod.status?.podIPs?.[0]?.ip || "<none>",
      pod.spec?.nodeName || "<none>",
      pod.status?.nominatedNodeName || "<none>",
      readinessGates(pod),
    ];
  },
  conditions(object) {
    const reason = (object as Pod).status?.phase ?? "";
    const message = completed[reason];
    return message === undefined ? undefined : [{ type: "Completed", status: "True", reason, message }];
  },
};

function summarize(pod: Pod): Summary {
  const { spec, status } = pod;
  const sidecars = sidecarsOf(spec);
  const total = (spec?.containers?.length ?? 0) + sidecars.length;
  const summary: Summary = { reason: podReason(pod), ready: 0, total, restarts: 0, lastRestart: 0 };
  const initializing = summarizeInit(pod, summary);
  const initialized = isConditionTrue(status?.conditions, "Initialized");
  if (!initializing || initialized) summarizeMain(pod, sidecars, summary);
  if (isDeleting(pod)) {
    if (status?.reason === "NodeLost") summary.reason = "Unknown";
    else if (status?.phase !== "Succeeded" && status?.phase !== "Failed") summary.reason = "Terminating";
  }
  return summary;
}

/** The reason of the pod as a whole, before its containers are considered. */
function podReason({ status }: Pod): string {
  const gated = status?.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated");
  return gated ? "SchedulingGated" : status?.reason || (status?.phase ?? "");
}

/** Looks at init containers up to the first that is not done; true if there is one. */
function summarizeInit({ spec, status }: Pod, summary: Summary): boolean {
  const containers = new Map((spec?.initContainers ?? []).map((container) => [container.name, container]));
  for (const [index, init] of (status?.initContainerStatuses ?? []).entries()) {
    countRestarts(init, summary);
    const { terminated, waiting } = init.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isSidecar(containers.get(init.name)) && init.started === true) {
      if (init.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.reason = `Init:${terminationReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${index}/${spec?.initContainers?.length ?? 0}`;
    return true;
  }
  return false;
}

/** After initialization, only sidecars and main containers count. */
function summarizeMain({ status }: Pod, sidecars: readonly Container[], summary: Summary): void {
  summary.restarts = 0;
  summary.lastRestart = 0;
  for (const init of status?.initContainerStatuses ?? []) {
    if (sidecars.some(({ name }) => name === init.name)) countRestarts(init, summary);
  }
  let running = false;
  let failure = "";
  for (const container of (status?.containerStatuses ?? []).toReversed()) {
    countRestarts(container, summary);
    const { waiting, terminated } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = terminationReason(terminated);
      if (terminated.exitCode !== 0) failure = summary.reason;
    } else if (container.ready && container.state?.running) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason === "Completed") summary.reason = partlyCompleted(status, running, failure);
}

/** The status when one container has completed: another may still run, or have failed. */
function partlyCompleted(status: Pod["status"], running: boolean, failure: string): string {
  const ready = isConditionTrue(status?.conditions, "Ready");
  if (running && ready) return "Running";
  return failure || (running ? "NotReady" : "Completed");
}

function countRestarts({ restartCount, lastState }: ContainerStatus, summary: Summary): void {
  summary.restarts += restartCount;
  const finished = lastState?.terminated?.finishedAt;
  if (finished) summary.lastRestart = Math.max(summary.lastRestart, parseTime(finished));
}

function terminationReason({ reason, signal, exitCode }: NonNullable<ContainerState["terminated"]>): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** An init container that keeps running beside the main containers. */
function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === "Always";
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => isConditionTrue(status?.conditions, conditionType));
  return `${open.length}/${gates.length}`;
}
