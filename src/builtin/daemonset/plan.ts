/** Which daemon pods to create and to delete: takes nodes, and pods by node. Pure. */
import { type DaemonSet, isDeleting, type Node, type Pod, scaledValueOf } from "../../api/index.js";
import { revisionHashLabel } from "../history/revisions.js";
import { isAvailable, isReady, isTerminal } from "../pods/state.js";
import { fitOf, targetNode, templateGeneration, templateGenerationLabel } from "./placement.js";
import { createdAt } from "../kit/created-at.js";
import { byName } from "../../api/meta/key.js";

export interface ObservedDaemonSet {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Claimed pods, by the node they are bound to or meant for. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** The hash of the current template. */
  readonly hash: string;
}

export interface DaemonPlan {
  /** Names of the nodes that need a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Pods that have ended and are to be deleted; the failed ones after a back-off. */
  readonly failed: readonly Pod[];
  readonly succeeded: readonly Pod[];
}

/** Leaves out a pod that has ended and is being deleted. A pod that is only being deleted still occupies its node. */
export function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (isTerminal(pod) && isDeleting(pod))) continue;
    const group = groups.get(node);
    if (group === undefined) groups.set(node, [pod]);
    else group.push(pod);
  }
  return groups;
}

/** Bound before unbound, then older first. The first pod in this order is the one that counts for its node. */
export function byPrecedence(a: Pod, b: Pod): number {
  const bound = (pod: Pod): number => (pod.spec?.nodeName ? 0 : 1);
  return bound(a) - bound(b) || createdAt(a) - createdAt(b) || byName(a, b);
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

/** Both limits round up. If both are 0, one pod may be unavailable. */
function limitsOf({ spec }: DaemonSet, desired: number): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = 0, maxUnavailable = 1 } = spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValueOf(maxSurge, desired, "up");
  const unavailable = scaledValueOf(maxUnavailable, desired, "up");
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

const allowsSurge = (set: DaemonSet): boolean => isRollingUpdate(set) && limitsOf(set, 100).surge > 0;

/** Plans one pod on each node that should have one, of any template. */
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
    const staying = pods.filter((one) => !isDeleting(one));
    if (!shouldContinue) {
      plan.delete.push(...staying);
      continue;
    }
    const running = staying.filter((pod) => !isTerminal(pod));
    // where a new pod may stand beside an old one, it need not wait until the old one is gone
    if (running.length === 0 && shouldRun && allowsSurge(set)) plan.create.push(node.metadata.name);
    plan.failed.push(...staying.filter(({ status }) => status?.phase === "Failed"));
    plan.succeeded.push(...staying.filter(({ status }) => status?.phase === "Succeeded"));
    plan.delete.push(...excess(observed, running, now));
  }
  plan.delete.push(...strayPods(observed));
  return plan;
}

/**
 * The pods to delete: all except the first by precedence. While surging, the first new and the first old pod stay,
 * until the new one is available or the old one is not ready.
 */
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

/** Unbound pods that are meant for a node which no longer exists. */
function strayPods({ nodes, podsByNode }: ObservedDaemonSet): readonly Pod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return [...podsByNode].flatMap(([node, pods]) => (names.has(node) ? [] : pods.filter(({ spec }) => !spec?.nodeName)));
}

interface OnNode {
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
}

/** The one new and the one old pod of a node. Undefined if there are several of either: then placement has to clean up first. */
function onNode({ set, hash }: ObservedDaemonSet, pods: readonly Pod[]): OnNode | undefined {
  const staying = pods.filter((one) => !isDeleting(one));
  const news = staying.filter((pod) => isUpdated(set, pod, hash));
  const olds = staying.filter((pod) => !isUpdated(set, pod, hash));
  return news.length > 1 || olds.length > 1 ? undefined : { newPod: news[0], oldPod: olds[0] };
}

interface Rollout extends ObservedDaemonSet {
  /** Includes nodes that should have a pod and have none, with an empty list. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** The names of the nodes that should have a pod. */
  readonly wanted: ReadonlySet<string>;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** One step of replacing old pods with new ones, within the limits of the update strategy. */
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
      // the pod is not available, so nothing is lost by replacing it
      free.push(oldPod);
      missing++;
    }
  }
  return { create: [], delete: [...free, ...candidates.slice(0, Math.max(0, limit - missing))] };
}

/**
 * Creates new pods beside old ones, on at most `limit` nodes at once; an old pod goes when the new one is available. A
 * node that should no longer have a pod gets no new one, and keeps its old one until the wanted number are available
 * elsewhere.
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
