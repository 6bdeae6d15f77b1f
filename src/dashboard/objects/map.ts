/** The cluster as a map: takes nodes and pods, gives each node with its pods and their state. Works in slices. */
import { isConditionTrue, type Node, type Pod } from "../../api/index.js";
import type { ClusterMap, MapNode, MapPod, PodCounts } from "../wire.js";
import { type Pace, visitAll } from "./pace.js";
import { stateOf } from "../health/state.js";

/** More pods than this are no picture: then the map draws the pods that do not run well, and counts the others. */
const mostDrawn = 3_000;
const mostPods = 250;
const mostTroubled = 40;
const mostNodes = 300;

/** The pods of one node, or of none. */
interface Place {
  readonly pods: MapPod[];
  readonly counts: { good: number; busy: number; bad: number };
  more: number;
}

export type PodMap = Pick<ClusterMap, "nodes" | "nodesMore" | "unassigned" | "unassignedMore">;

export async function mapOf(nodes: readonly Node[], pods: readonly Pod[], pace: Pace): Promise<PodMap> {
  const isLarge = pods.length > mostDrawn;
  const places = new Map<string, Place>();
  await visitAll(pods, pace, (pod) => place(pod, places, isLarge));
  const found = nodes.map((node) => nodeOf(node, places.get(node.metadata.name) ?? newPlace()));
  const sorted = mostUrgent(found).sort((a, b) => numeric.compare(a.name, b.name));
  const unassigned = places.get("") ?? newPlace();
  return {
    nodes: sorted,
    nodesMore: nodes.length - sorted.length,
    unassigned: unassigned.pods.sort(byKey),
    unassignedMore: unassigned.more,
  };
}

/** Nodes in trouble before the others, if there are too many for a picture. */
function mostUrgent(nodes: MapNode[]): MapNode[] {
  if (nodes.length <= mostNodes) return nodes;
  return [...nodes.filter((node) => !isWell(node)), ...nodes.filter(isWell)].slice(0, mostNodes);
}

const numeric = new Intl.Collator("en", { numeric: true });

const newPlace = (): Place => ({ pods: [], counts: { good: 0, busy: 0, bad: 0 }, more: 0 });

function place(pod: Pod, places: Map<string, Place>, isLarge: boolean): void {
  const nodeName = pod.spec?.nodeName ?? "";
  let known = places.get(nodeName);
  if (known === undefined) places.set(nodeName, (known = newPlace()));
  const { namespace = "", name } = pod.metadata;
  const { state, tone } = stateOf(pod);
  if (tone !== "none") known.counts[tone] += 1;
  const isDrawn = isLarge ? tone !== "good" && known.pods.length < mostTroubled : known.pods.length < mostPods;
  if (isDrawn) known.pods.push({ namespace, name, state, tone });
  else known.more += 1;
}

function nodeOf({ metadata, spec, status }: Node, { pods, counts, more }: Place): MapNode {
  return {
    name: metadata.name,
    isReady: isConditionTrue(status?.conditions, "Ready"),
    isCordoned: spec?.unschedulable === true,
    capacity: Number(status?.allocatable?.["pods"] ?? 0),
    pods: pods.sort(byKey),
    counts,
    more,
  };
}

const isWell = ({ isReady, isCordoned, counts }: MapNode): boolean => isReady && !isCordoned && isQuiet(counts);

const isQuiet = ({ busy, bad }: PodCounts): boolean => busy + bad === 0;

const byKey = (a: MapPod, b: MapPod): number =>
  a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace < b.namespace ? -1 : 1;
