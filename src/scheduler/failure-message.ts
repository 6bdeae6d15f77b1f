/** The message about a pod that could not be placed, in kube-scheduler's words: for its condition and its event. */
import type { PlacementFailure } from "./choose.js";

const noNodesMessage = "no nodes available to schedule pods";

/**
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` Then, if given, why preemption
 * does not help. The part about claims is constant, because there are no devices here that could be deallocated.
 */
export function failureMessage({ nodes, conflict, reasons }: PlacementFailure, preemption?: string): string {
  if (nodes === 0) return noNodesMessage;
  // upstream's claim deallocation fails here with "not found", because filters never ran
  if (conflict !== undefined) return `0/${nodes} nodes are available: ${conflict}. not found`;
  const message = unavailableMessage(nodes, reasons);
  return preemption === undefined ? message : `${message} no new claims to deallocate, preemption: ${preemption}`;
}

/** Reasons are sorted as text, counts included. */
export function unavailableMessage(nodes: number, reasons: ReadonlyMap<string, number>): string {
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${counted.join(", ")}.`;
}
