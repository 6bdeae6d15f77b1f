/** Tells the state of an object in a word or two, for trees and maps: by its phase and conditions, as kubectl would. */
import { isDeleting, type KubeObject } from "../../api/index.js";
import type { Tone } from "../wire.js";
import { conditionOf, recordOf, recordsOf, statusFields } from "./status.js";
import { asText } from "../../base/members.js";

export interface ShownState {
  readonly state: string;
  readonly tone: Tone;
}

export function stateOf(object: KubeObject): ShownState {
  if (isDeleting(object)) return { state: "Terminating", tone: "busy" };
  if (object.kind === "Pod") return podState(object);
  const { replicas, readyReplicas, phase } = statusFields(object);
  const wanted = numberOf(recordOf(object, "spec")["replicas"]);
  const ready = numberOf(readyReplicas);
  if (wanted !== undefined || ready !== undefined) return readiness(ready ?? 0, wanted ?? numberOf(replicas) ?? 0);
  return conditionState(object) ?? phaseState(asText(phase));
}

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const readiness = (ready: number, wanted: number): ShownState => {
  return { state: `${ready}/${wanted} ready`, tone: ready >= wanted ? "good" : "busy" };
};

/** By the conditions that say how an object does, the worst first. */
function conditionState(object: KubeObject): ShownState | undefined {
  const failed = conditionOf(object, "Failed");
  if (failed?.status === "True") return { state: failed.reason || "Failed", tone: "bad" };
  for (const wanted of ["Complete", "Available", "Ready"]) {
    const condition = conditionOf(object, wanted);
    if (condition === undefined) continue;
    if (condition.status === "True") return { state: wanted, tone: "good" };
    return { state: condition.reason || `not ${wanted}`, tone: object.kind === "Node" ? "bad" : "busy" };
  }
  return undefined;
}

/** Whether a container waits for this without anything being wrong. */
export function isOrdinaryWait(reason: string): boolean {
  return reason === "ContainerCreating" || reason === "PodInitializing";
}

function podState(pod: KubeObject): ShownState {
  const { initContainerStatuses, containerStatuses, phase } = statusFields(pod);
  const waiting = firstWait(initContainerStatuses) || firstWait(containerStatuses);
  if (waiting !== "") return { state: waiting, tone: isOrdinaryWait(waiting) ? "busy" : "bad" };
  if (phase === "Running") {
    return conditionOf(pod, "Ready")?.status === "True"
      ? { state: "Running", tone: "good" }
      : { state: "not ready", tone: "busy" };
  }
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status === "False") return { state: scheduled.reason || "Unschedulable", tone: "bad" };
  return phaseState(asText(phase) || "Pending");
}

/** The reason for which the first container that waits does; "" if none does. */
function firstWait(containers: unknown): string {
  for (const { state } of recordsOf(containers)) {
    const reason = asText(recordOf(state, "waiting")["reason"]);
    if (reason !== "") return reason;
  }
  return "";
}

function phaseState(phase: string): ShownState {
  switch (phase) {
    case "":
      return { state: "", tone: "none" };
    case "Failed":
    case "Lost":
    case "Unknown":
      return { state: phase, tone: "bad" };
    case "Pending":
    case "Released":
    case "Terminating":
      return { state: phase, tone: "busy" };
    default:
      return { state: phase, tone: "good" };
  }
}
