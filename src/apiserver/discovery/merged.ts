/** Puts the versions that other servers answer for among the groups of this server, by priority. Pure. */
import { without } from "../../base/members.js";
import type { RemoteVersion, ServedGroup, ServedVersion } from "../contracts/served.js";
import { groupPriority, versionPriority } from "./priorities.js";

/** A version that another server answers for. */
export interface RemoteServed extends RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

interface Ranked {
  readonly group: string;
  readonly priority: number;
  readonly versions: readonly (ServedVersion & { readonly priority: number })[];
}

/** `compare` orders versions of the same priority. A remote version takes the place of a local one. */
export function mergedGroups(
  local: readonly ServedGroup[],
  remote: readonly RemoteServed[],
  compare: (a: string, b: string) => number,
): readonly ServedGroup[] {
  if (remote.length === 0) return local;
  const ranked = new Map(local.map((one) => [one.group, rankedLocal(one)]));
  for (const { group, version, groupPriority: priority, versionPriority: rank, ...documents } of remote) {
    const before = ranked.get(group) ?? { group, priority, versions: [] };
    const others = before.versions.filter((one) => one.version !== version);
    const own = { version, resources: [], remote: documents, priority: rank };
    ranked.set(group, {
      group,
      priority: Math.max(before.priority, priority),
      versions: [...others, own].toSorted((a, b) => b.priority - a.priority || compare(a.version, b.version)),
    });
  }
  return [...ranked.values()]
    .toSorted((a, b) => b.priority - a.priority || later(a, b, local))
    .map(({ group, versions }) => ({ group, versions: versions.map((version) => without(version, "priority")) }));
}

function rankedLocal({ group, versions }: ServedGroup): Ranked {
  return {
    group,
    priority: groupPriority(group),
    versions: versions.map((one) => ({ ...one, priority: versionPriority(group, one.version) })),
  };
}

/** Local groups of the same priority keep their order; others come by name. */
function later(a: Ranked, b: Ranked, local: readonly ServedGroup[]): number {
  const [first, second] = [a, b].map(({ group }) => local.findIndex((one) => one.group === group));
  if (first !== -1 && second !== -1) return (first as number) - (second as number);
  return a.group < b.group ? -1 : 1;
}
