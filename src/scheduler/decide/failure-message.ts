/** The message about a pod that could not be placed, in kube-scheduler's words: for its condition and its event. */
import type { PlacementFailure } from "./choose.js";

const noNodesMessage = "no nodes available to schedule pods";

/** The outcome of the attempt to take devices from claims of the pod. */
export type Deallocation =
  | "no new claims to deallocate"
  | "still not schedulable"
  | "deallocation of ResourceClaim completed"
  | "deletion of ResourceClaim completed";

/**
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` Then, if given, why
 * deallocation and preemption do not help.
 */
export function failureMessage(
  { nodes, conflict, reasons, filters }: PlacementFailure,
  after: { readonly deallocation?: Deallocation; readonly preemption?: string; readonly error?: string } = {},
): string {
  if (nodes === 0) return noNodesMessage;
  const { deallocation, preemption, error } = after;
  const tried = [deallocation ?? [], preemption === undefined ? [] : `preemption: ${preemption}`, error ?? []].flat();
  const help = tried.length === 0 ? "" : ` ${tried.join(", ")}`;
  if (conflict === undefined) return `${unavailableMessage(nodes, reasons)}${help}`;
  // upstream's deallocation fails with "not found" where the filter for devices never ran
  return `0/${nodes} nodes are available: ${conflict}.${filters.has("DynamicResources") ? help : " not found"}`;
}

/** Reasons are sorted as text, counts included. */
export function unavailableMessage(nodes: number, reasons: ReadonlyMap<string, number>): string {
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available:${counted.length === 0 ? "" : ` ${counted.join(", ")}.`}`;
}
