/** Workloads and how far their rollouts are: takes Deployments, StatefulSets, DaemonSets and Jobs, gives a line for each that nobody owns. Pure. */
import { DaemonSet, Deployment, Job, type KubeObject, type ResourceType, StatefulSet } from "../../api/index.js";
import type { Workload } from "../wire.js";
import { type FamilyMember, linkOf } from "./family.js";
import { stateOf } from "./state.js";

export const workloadTypes: readonly ResourceType<KubeObject>[] = [Deployment, StatefulSet, DaemonSet, Job];

const mostWorkloads = 200;

interface Loose {
  readonly spec?: { readonly replicas?: number; readonly completions?: number };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly updatedNumberScheduled?: number;
    readonly succeeded?: number;
  };
}

export function workloadsOf(members: readonly FamilyMember[]): {
  readonly workloads: readonly Workload[];
  readonly workloadsMore: number;
} {
  const all = members.filter(({ object }) => !object.metadata.ownerReferences?.some(({ controller }) => controller));
  const key = ({ object: { metadata } }: FamilyMember): string => `${metadata.namespace ?? ""}/${metadata.name}`;
  const shown = all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, mostWorkloads);
  return { workloads: shown.map(workloadOf), workloadsMore: all.length - shown.length };
}

function workloadOf({ object, type }: FamilyMember): Workload {
  const { spec = {}, status = {} } = object as Loose;
  const isJob = type.kind === "Job";
  const wanted = isJob ? (spec.completions ?? 1) : (status.desiredNumberScheduled ?? spec.replicas ?? 1);
  const ready = isJob ? (status.succeeded ?? 0) : (status.numberReady ?? status.readyReplicas ?? 0);
  const updated = isJob ? wanted : (status.updatedNumberScheduled ?? status.updatedReplicas ?? 0);
  const { tone } = stateOf(object);
  const isDone = ready >= wanted && updated >= wanted;
  return { ...linkOf(object, type), wanted, ready, updated, tone: tone === "bad" ? "bad" : isDone ? "good" : "busy" };
}
