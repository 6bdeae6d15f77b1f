/** Which daemon pods to make and to delete: takes nodes and pods by node, gives names. Pure. */
import { type DaemonSet, type Node, parseTime, type Pod, scaledValueOf } from "../../api/index.js";
import { revisionHashLabel } from "../history/revisions.js";
import { isAvailable, isReady, isTerminal } from "../pods/state.js";
import { fitOf, targetNode, templateGeneration, templateGenerationLabel } from "./placement.js";

export interface ObservedDaemonSet {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Claimed pods, by the node they are on or meant for. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** Of the current template. */
  readonly hash: string;
}

export interface DaemonPlan {
  /** Nodes that need a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Pods that ended and are deleted for it, subject to back-off for those that failed. */
  readonly failed: readonly Pod[];
  readonly succeeded: readonly Pod[];
}

/** A pod that has ended and is being deleted is as good as gone; one that is only being deleted still holds its node. */
export function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined)) continue;
    const group = groups.get(node);
    if (group === undefined) groups.set(node, [pod]);
    else group.push(pod);
  }
  return groups;
}

/** Bound before unbound, then older first: the first one is the pod that counts. */
export function byPrecedence(a: Pod, b: Pod): number {
  const bound = (pod: Pod): number => (pod.spec?.nodeName ? 0 : 1);
  const created = ({ metadata: { creationTimestamp } }: Pod): number =>
    creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
  return bound(a) - bound(b) || created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

export function isUpdated(set: DaemonSet, pod: Pod, hash: string): boolean {
  const generation = templateGeneration(set);
  const { labels = {} } = pod.metadata;
  return (
    (hash !== "" && labels[revisionHashLabel] === hash) ||
    (generation !== undefined && labels[templateGenerationLabel] === generation)
  );
}

export function isRollingUpdate({ spec }: DaemonSet): boolean {
  return (spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** Both round up; if both are none, one pod may be missing. */
function limitsOf({ spec }: DaemonSet, desired: number): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = 0, maxUnavailable = 1 } = spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValueOf(maxSurge, desired, "up");
  const unavailable = scaledValueOf(maxUnavailable, desired, "up");
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

const allowsSurge = (set: DaemonSet): boolean => isRollingUpdate(set) && limitsOf(set, 100).surge > 0;

/** One pod on each node that should have one, whatever its template. */
export function planPlacement(observed: ObservedDaemonSet, now: number): DaemonPlan {
  const { set, nodes, podsByNode } = observed;
  const fit = fitOf(set);
  const plan = { create: [] as string[], delete: [] as Pod[], failed: [] as Pod[], succeeded: [] as Pod[] };
  for (const node of nodes) {
    const { shouldRun, shouldContinue } = fit(node);
    const pods = podsByNode.get(node.metadata.name);
    if (pods === undefined) {
      if (shouldRun) plan.create.push(node.metadata.name);
      continue;
    }
    const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (!shouldContinue) {
      plan.delete.push(...staying);
      continue;
    }
    const running = staying.filter((pod) => !isTerminal(pod));
    // where a new pod may stand beside an old one it need not wait for the old one to be gone
    if (running.length === 0 && shouldRun && allowsSurge(set)) plan.create.push(node.metadata.name);
    plan.failed.push(...staying.filter(({ status }) => status?.phase === "Failed"));
    plan.succeeded.push(...staying.filter(({ status }) => status?.phase === "Succeeded"));
    plan.delete.push(...excess(observed, running, now));
  }
  plan.delete.push(...strayPods(observed));
  return plan;
}

/** All but the one that counts; while surging, the oldest new and the oldest old one, until the new one can take over. */
function excess({ set, hash }: ObservedDaemonSet, running: readonly Pod[], now: number): readonly Pod[] {
  if (running.length <= 1) return [];
  const pods = running.toSorted(byPrecedence);
  if (!allowsSurge(set)) return pods.slice(1);
  const isNew = (pod: Pod): boolean => pod.metadata.labels?.[revisionHashLabel] === hash;
  const newest = pods.find(isNew);
  const old = pods.find((pod) => !isNew(pod));
  const rest = pods.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return rest;
  const replaced = !isReady(old) || isAvailable(newest, set.spec?.minReadySeconds ?? 0, now);
  return replaced ? [...rest, old] : rest;
}

/** Pods that wait for a node which is gone. */
function strayPods({ nodes, podsByNode }: ObservedDaemonSet): readonly Pod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return [...podsByNode].flatMap(([node, pods]) => (names.has(node) ? [] : pods.filter(({ spec }) => !spec?.nodeName)));
}

interface OnNode {
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
}

/** undefined if there are several of either: then placement has to clean up first. */
function onNode({ set, hash }: ObservedDaemonSet, pods: readonly Pod[]): OnNode | undefined {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const news = staying.filter((pod) => isUpdated(set, pod, hash));
  const olds = staying.filter((pod) => !isUpdated(set, pod, hash));
  return news.length > 1 || olds.length > 1 ? undefined : { newPod: news[0], oldPod: olds[0] };
}

interface Rollout extends ObservedDaemonSet {
  /** With those that should have a pod and have none. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** The nodes that should have a pod. */
  readonly wanted: ReadonlySet<string>;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** One step of replacing old pods by new ones, within the limits. */
export function planRollingUpdate(observed: ObservedDaemonSet, now: number): Pick<DaemonPlan, "create" | "delete"> {
  const { set, nodes } = observed;
  const fit = fitOf(set);
  const wanted = new Set(nodes.filter((node) => fit(node).shouldRun).map(({ metadata }) => metadata.name));
  const podsByNode = new Map<string, readonly Pod[]>(observed.podsByNode);
  for (const node of wanted) if (!podsByNode.has(node)) podsByNode.set(node, []);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const rollout: Rollout = {
    ...observed,
    podsByNode,
    wanted,
    isAvailable: (pod) => isAvailable(pod, minReadySeconds, now),
  };
  const { surge, unavailable } = limitsOf(set, wanted.size);
  return surge > 0 ? planSurge(rollout, surge) : planReplace(rollout, unavailable);
}

function planReplace(rollout: Rollout, limit: number): Pick<DaemonPlan, "create" | "delete"> {
  let missing = 0;
  const free: Pod[] = [];
  const candidates: Pod[] = [];
  for (const pods of rollout.podsByNode.values()) {
    const { newPod, oldPod } = onNode(rollout, pods) ?? {};
    if ((newPod === undefined) === (oldPod === undefined)) missing++;
    else if (newPod !== undefined) missing += rollout.isAvailable(newPod) ? 0 : 1;
    else if (oldPod !== undefined && rollout.isAvailable(oldPod)) candidates.push(oldPod);
    else if (oldPod !== undefined) {
      // it serves nobody, so nothing is lost by replacing it
      free.push(oldPod);
      missing++;
    }
  }
  return { create: [], delete: [...free, ...candidates.slice(0, Math.max(0, limit - missing))] };
}

/**
 * New pods beside old ones, on so many nodes at once; an old one goes when the new one is available. A node that should have a
 * pod no more gets no new one, and keeps its old one until as many as are wanted are available elsewhere.
 */
function planSurge(rollout: Rollout, limit: number): Pick<DaemonPlan, "create" | "delete"> {
  let surging = 0;
  let serving = 0;
  const free: string[] = [];
  const candidates: string[] = [];
  const replaced: Pod[] = [];
  const strangers: Pod[] = [];
  for (const [node, pods] of rollout.podsByNode) {
    const found = onNode(rollout, pods);
    if (found === undefined) {
      surging++;
      continue;
    }
    const { newPod, oldPod } = found;
    const judged = oldPod ?? newPod;
    const serves = judged !== undefined && rollout.isAvailable(judged);
    if (serves) serving++;
    if (oldPod === undefined) continue;
    if (newPod !== undefined) {
      if (rollout.isAvailable(newPod)) replaced.push(oldPod);
      else surging++;
    } else if (rollout.wanted.has(node)) (serves ? candidates : free).push(node);
    else (serves ? strangers : replaced).push(oldPod);
  }
  return {
    create: [...free, ...candidates.slice(0, Math.max(0, limit - surging))],
    delete: [...replaced, ...strangers.slice(0, Math.max(0, serving - rollout.wanted.size))],
  };
}
