/** Workloads and how far their rollouts are: takes Deployments, StatefulSets, DaemonSets and Jobs, gives a line for each that nobody owns. Works in slices. */
import { DaemonSet, Deployment, Job, type KubeObject, type ResourceType, StatefulSet } from "../../api/index.js";
import type { Workload } from "../wire.js";
import { type FamilyMember, linkOf } from "./family.js";
import { type Pace, visitAll } from "./pace.js";
import { stateOf } from "../health/state.js";

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

/** Of too many, the ones that are not as they should be come first. */
export async function workloadsOf(
  members: Iterable<FamilyMember>,
  pace: Pace,
): Promise<{ readonly workloads: readonly Workload[]; readonly workloadsMore: number }> {
  const [troubled, good]: [Workload[], Workload[]] = [[], []];
  let number = 0;
  await visitAll(members, pace, (member) => {
    if (member.object.metadata.ownerReferences?.some(({ controller }) => controller)) return;
    number += 1;
    const workload = workloadOf(member);
    const list = workload.tone === "good" ? good : troubled;
    if (list.length < mostWorkloads) list.push(workload);
  });
  const shown = [...troubled, ...good].slice(0, mostWorkloads);
  const key = ({ namespace, name }: Workload): string => `${namespace}/${name}`;
  return { workloads: shown.sort((a, b) => (key(a) < key(b) ? -1 : 1)), workloadsMore: number - shown.length };
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
