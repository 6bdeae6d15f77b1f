/** Converts the owners of a workload to those of its Scale and back: only the replicas field is common to both. */
import type { ManagedFieldsEntry } from "../../api/index.js";
import { decodeManaged, encodeManaged } from "./managed-entries.js";
import { difference, hasPath, isEmpty, setOf } from "./merge/path-set.js";
import type { Owned } from "./merge/updater.js";

const scaleVersion = "autoscaling/v1";
const replicasOfScale = ["f:spec", "f:replicas"];

/** The owners of the replicas, as owners of a Scale. `replicas` is the path in the workload, e.g. `["spec", "replicas"]`. */
export function ownersOfScale(
  entries: readonly ManagedFieldsEntry[],
  replicas: readonly string[],
): readonly ManagedFieldsEntry[] {
  const path = replicas.map((name) => `f:${name}`);
  const { owners, times } = decodeManaged(entries);
  const owning = [...owners].filter(([, { set }]) => hasPath(set, path));
  const set = setOf(replicasOfScale);
  return encodeManaged({
    owners: new Map(owning.map(([manager, { applied }]) => [manager, { set, applied, apiVersion: scaleVersion }])),
    times,
  });
}

/**
 * The workload's owners after a write of its Scale, whose owners are `scaled`. As upstream, new owners have no time.
 */
export function ownersAfterScale(
  entries: readonly ManagedFieldsEntry[],
  scaled: readonly ManagedFieldsEntry[],
  { replicas, apiVersion }: { readonly replicas: readonly string[]; readonly apiVersion: string },
): readonly ManagedFieldsEntry[] {
  const path = replicas.map((name) => `f:${name}`);
  const { owners, times } = decodeManaged(entries);
  const left = new Map(decodeManaged(scaled).owners);
  const result = new Map<string, Owned>();
  for (const [manager, owned] of owners) {
    const keeps = !hasPath(owned.set, path) || left.delete(manager);
    const set = keeps ? owned.set : difference(owned.set, setOf(path));
    if (!isEmpty(set)) result.set(manager, keeps ? owned : { ...owned, set });
  }
  for (const [manager, { set, applied }] of left) {
    if (hasPath(set, replicasOfScale)) result.set(manager, { set: setOf(path), apiVersion, applied });
  }
  return encodeManaged({ owners: result, times });
}
