/** The state of each zone, and how fast its pods may be evicted: takes nodes, gives rates. Pure. */
import type { Node } from "../../api/index.js";
import { readyOf } from "./health.js";

type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption";

const evictionsPerSecond = 0.1;
const slowEvictionsPerSecond = 0.01;
const largeZone = 50;
const unhealthyFraction = 0.55;
const excludeLabel = "node.kubernetes.io/exclude-disruption";

export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels["topology.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}

export interface Zone {
  readonly state: ZoneState;
  readonly size: number;
}

/** Ignores nodes with the exclusion label. */
export function zonesOf(nodes: readonly Node[]): ReadonlyMap<string, Zone> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    if (node.metadata.labels?.[excludeLabel] !== undefined) continue;
    const group = groups.get(zoneOf(node));
    if (group === undefined) groups.set(zoneOf(node), [node]);
    else group.push(node);
  }
  return new Map([...groups].map(([name, members]) => [name, { state: stateOf(members), size: members.length }]));
}

function stateOf(nodes: readonly Node[]): ZoneState {
  const notReady = nodes.filter((node) => readyOf(node)?.status !== "True").length;
  if (notReady === nodes.length) return "FullDisruption";
  return notReady > 2 && notReady / nodes.length >= unhealthyFraction ? "PartialDisruption" : "Normal";
}

/** If no node anywhere is ready, the fault is more likely this process's connection: nothing is evicted then. */
export const isEverythingDown = (zones: ReadonlyMap<string, Zone>): boolean =>
  zones.size > 0 && [...zones.values()].every(({ state }) => state === "FullDisruption");

/** In nodes per second. A zone that is not in the map counts as healthy. */
export function evictionRate({ state, size }: Zone = { state: "Normal", size: 0 }): number {
  if (state !== "PartialDisruption") return evictionsPerSecond;
  return size > largeZone ? slowEvictionsPerSecond : 0;
}
