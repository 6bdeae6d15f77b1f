/** Owners of a workload as its scale endpoint sees them, and back: only the replicas are common to both. */
import type { ManagedFieldsEntry } from "../../api/index.js";
import { decodeManaged, encodeManaged } from "./managed-entries.js";
import { difference, hasPath, isEmpty, setOf } from "./merge/path-set.js";
import type { Owned } from "./merge/updater.js";

const scaleVersion = "autoscaling/v1";
const replicasOfScale = ["f:spec", "f:replicas"];

/** Who owns the replicas, as owners of a Scale. `replicas` is where the workload keeps them, e.g. `["spec", "replicas"]`. */
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

/** The workload's owners after its scale was written, of which `scaled` are the owners. New ones have no time, as upstream has it. */
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
