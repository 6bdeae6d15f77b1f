/** Keeps pods evenly spread over zones, hosts or other domains, where the pod requires it. */
import { deepEqual } from "../../api/index.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { PodInfo } from "../state/pod-info.js";
import { type ClusterEvent, type Filter, refusalOf } from "./filter.js";
import {
  type DefaultSpreads,
  hasKeys,
  hasOwnSpreads,
  ownSpreads,
  type Spread,
  spreadsOf,
  systemSpreads,
} from "./spreads.js";

export const spreadFilter = (defaults: DefaultSpreads = systemSpreads): Filter => ({
  name: "PodTopologySpread",
  prepare(info, view) {
    const spreads = spreadsOf(info, { view, when, defaults });
    if (spreads.length === 0) return undefined;
    const domains = spreads.map((spread) => domainsOf(spread, spreads, view));
    const noLabel = refusalOf("node(s) didn't match pod topology spread constraints (missing required label)", true);
    const tooMany = refusalOf("node(s) didn't match pod topology spread constraints");
    return (node) => {
      for (const [index, { topologyKey, maxSkew, matchesSelf }] of spreads.entries()) {
        const value = node.labels[topologyKey];
        if (value === undefined) return noLabel;
        const { counts, least } = domains[index] as Domains;
        if ((counts.get(value) ?? 0) + (matchesSelf ? 1 : 0) - least > maxSkew) return tooMany;
      }
      return undefined;
    };
  },
  mayFitAfter(event, info) {
    // the siblings of a pod without constraints of its own are not told here: any pod may be one
    if (!hasOwnSpreads(info.pod)) return true;
    const spreads = ownSpreads(info, when);
    if (event.type === "node-set" || event.type === "node-removed") {
      return changesDomains(
        event,
        spreads.map(({ spread }) => spread),
      );
    }
    if (!("pod" in event)) return false;
    const selects = ({ labels }: PodInfo): string => spreads.map(({ selector }) => selector.matches(labels)).join();
    if (event.pod.namespace !== info.namespace) return false;
    // a pod that begins to terminate no longer counts, as if it were gone
    if (event.type === "pod-changed" && event.pod.isDeleting === event.previous.isDeleting) {
      return selects(event.pod) !== selects(event.previous);
    }
    return selects(event.pod).includes("true");
  },
});

const when = "DoNotSchedule";

function changesDomains(
  event: Extract<ClusterEvent, { readonly type: "node-set" | "node-removed" }>,
  spreads: readonly Spread[],
): boolean {
  const { labels = {} } = event.node.metadata;
  const now = hasKeys(labels, spreads);
  if (event.type === "node-removed" || event.previous === undefined) return now;
  const { previous } = event;
  const { labels: earlier = {} } = previous.metadata;
  const before = hasKeys(earlier, spreads);
  if (now !== before) return true;
  if (!now) return false;
  return (
    spreads.some(({ topologyKey }) => labels[topologyKey] !== earlier[topologyKey]) ||
    !deepEqual(event.node.spec?.taints, previous.spec?.taints)
  );
}

interface Domains {
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

function domainsOf(spread: Spread, all: readonly Spread[], view: ClusterView): Domains {
  const counts = new Map<string, number>();
  for (const node of view.nodes) {
    const value = node.labels[spread.topologyKey];
    if (value === undefined || !hasKeys(node.labels, all) || !spread.counts(node)) continue;
    counts.set(value, (counts.get(value) ?? 0) + spread.matching(node));
  }
  return { counts, least: counts.size < spread.minDomains ? 0 : Math.min(...counts.values()) };
}
