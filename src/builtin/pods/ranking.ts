/** Which pods are deleted first when there are too many: pure orderings over pods, first = deleted first. */
import { compareText, lookup, own } from "../../base/members.js";
import { parseTime, type Pod } from "../../api/index.js";
import { sidecarsOf } from "../../api/pods/containers.js";
import { isReady, readyCondition } from "./state.js";
import { createdAt } from "../kit/created-at.js";

const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

type Order<T> = (a: T, b: T) => number;

export interface RankedPod {
  readonly pod: Pod;
  /** The number of active pods of the same application on the same node: pods with more siblings are deleted sooner. */
  readonly siblings: number;
}

const phaseRank: Readonly<Record<string, number>> = lookup({ Pending: 0, Unknown: 1, Running: 2 });

const flag = (value: boolean): number => (value ? 1 : 0);
const timeOf = (time: string | undefined): number => (time === undefined ? 0 : parseTime(time));
const scheduled = (pod: Pod): number => flag((pod.spec?.nodeName ?? "") !== "");
const phase = (pod: Pod): number => own(phaseRank, pod.status?.phase ?? "") ?? 0;

/** The deletion cost that a user set on a pod; an absent or malformed one counts as 0. */
function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[deletionCostAnnotation];
  if (text === undefined || !/^(0|-[0-9]+|[1-9][0-9]*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

type Counted = readonly { readonly name: string; readonly restartCount: number }[];

const mostRestarts = (statuses: Counted = []): number =>
  statuses.reduce((most, { restartCount }) => Math.max(most, restartCount), 0);

const restarts = ({ status }: Pod): number => mostRestarts(status?.containerStatuses);

/** The most restarts of any sidecar: an init container that runs beside the others. */
function sidecarRestarts({ spec, status }: Pod): number {
  const names = new Set(sidecarsOf(spec).map(({ name }) => name));
  return mostRestarts(status?.initContainerStatuses?.filter(({ name }) => names.has(name)));
}

/** Ages within one power of two count as equal, so that scaling down does not always hit the zone with the youngest pods. */
function ageBucket(sinceMs: number, now: number): number {
  const nanoseconds = (now - sinceMs) * 1e6;
  return nanoseconds <= 0 ? -1 : Math.floor(Math.log2(nanoseconds));
}

function readySince(pod: Pod): number {
  return isReady(pod) ? timeOf(readyCondition(pod)?.lastTransitionTime) : 0;
}

function firstDifference<T>(...orders: readonly Order<T>[]): Order<T> {
  return (a, b) => {
    for (const order of orders) {
      const result = order(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}

/** Unscheduled pods first, then unready ones, and so on; see each line. Ties in age are broken by uid. */
export function byDeletionRank(now: number): Order<RankedPod> {
  const younger = (since: (pod: Pod) => number): Order<RankedPod> => {
    return ({ pod: a }, { pod: b }) => {
      const [sinceA, sinceB] = [since(a), since(b)];
      if (sinceA === sinceB) return 0;
      if (sinceA === 0) return -1;
      if (sinceB === 0) return 1;
      const difference = ageBucket(sinceA, now) - ageBucket(sinceB, now);
      return difference !== 0 ? difference : compareText(a.metadata.uid ?? "", b.metadata.uid ?? "");
    };
  };
  const bothReadyYounger = younger(readySince);
  return firstDifference(
    ({ pod: a }, { pod: b }) => scheduled(a) - scheduled(b),
    ({ pod: a }, { pod: b }) => phase(a) - phase(b),
    ({ pod: a }, { pod: b }) => flag(isReady(a)) - flag(isReady(b)),
    ({ pod: a }, { pod: b }) => deletionCost(a) - deletionCost(b),
    (a, b) => b.siblings - a.siblings,
    (a, b) => (isReady(a.pod) && isReady(b.pod) ? bothReadyYounger(a, b) : 0),
    ({ pod: a }, { pod: b }) => restarts(b) - restarts(a),
    ({ pod: a }, { pod: b }) => sidecarRestarts(b) - sidecarRestarts(a),
    younger(createdAt),
  );
}

/** The older, simpler order that Jobs use: exact times, no cost, no siblings. */
export const byActivity: Order<Pod> = firstDifference<Pod>(
  (a, b) => scheduled(a) - scheduled(b),
  (a, b) => phase(a) - phase(b),
  (a, b) => flag(isReady(a)) - flag(isReady(b)),
  (a, b) => (isReady(a) && isReady(b) ? readySince(b) - readySince(a) : 0),
  (a, b) => restarts(b) - restarts(a),
  (a, b) => sidecarRestarts(b) - sidecarRestarts(a),
  (a, b) => createdAt(b) - createdAt(a),
);
