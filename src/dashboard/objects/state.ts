/** Tells the state of an object in a word or two, for trees and maps: by its phase and conditions, as kubectl would. */
import { isConditionTrue, type KubeObject } from "../../api/index.js";
import type { Tone } from "../wire.js";

interface Loose extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly readyReplicas?: number;
    readonly replicas?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
    readonly containerStatuses?: readonly ContainerState[];
    readonly initContainerStatuses?: readonly ContainerState[];
  };
}

interface ContainerState {
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
}

export interface ShownState {
  readonly state: string;
  readonly tone: Tone;
}

export function stateOf(object: KubeObject): ShownState {
  const { kind, metadata, status, spec } = object as Loose;
  if (metadata.deletionTimestamp !== undefined) return { state: "Terminating", tone: "busy" };
  if (kind === "Pod") return podState(object as Loose);
  if (status === undefined) return { state: "", tone: "none" };
  if (spec?.replicas !== undefined || status.readyReplicas !== undefined) {
    const [ready, wanted] = [status.readyReplicas ?? 0, spec?.replicas ?? status.replicas ?? 0];
    return { state: `${ready}/${wanted} ready`, tone: ready >= wanted ? "good" : "busy" };
  }
  return conditionState(object as Loose) ?? phaseState(status.phase);
}

/** By the conditions that say how an object does, the worst first. */
function conditionState({ kind, status }: Loose): ShownState | undefined {
  const find = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  const failed = find("Failed");
  if (failed?.status === "True") return { state: failed.reason ?? "Failed", tone: "bad" };
  for (const wanted of ["Complete", "Available", "Ready"]) {
    const condition = find(wanted);
    if (condition === undefined) continue;
    if (condition.status === "True") return { state: wanted, tone: "good" };
    return { state: condition.reason ?? `not ${wanted}`, tone: kind === "Node" ? "bad" : "busy" };
  }
  return undefined;
}

/** Words that a pod waits for without anything being wrong. */
const ordinaryWaits: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

function podState({ status = {} }: Loose): ShownState {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const waiting = containers.map(({ state }) => state?.waiting?.reason).find((reason) => reason !== undefined);
  if (waiting !== undefined) return { state: waiting, tone: ordinaryWaits.has(waiting) ? "busy" : "bad" };
  if (status.phase === "Running") {
    return isConditionTrue(status.conditions, "Ready")
      ? { state: "Running", tone: "good" }
      : { state: "not ready", tone: "busy" };
  }
  const unscheduled = status.conditions?.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  if (unscheduled !== undefined) return { state: unscheduled.reason ?? "Unschedulable", tone: "bad" };
  return phaseState(status.phase ?? "Pending");
}

function phaseState(phase: string | undefined): ShownState {
  switch (phase) {
    case undefined:
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
