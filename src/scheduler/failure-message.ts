/** Why a pod could not be placed, in the words that people know: for its condition and its event. */
import type { Failure } from "./choose.js";

const noNodesMessage = "no nodes available to schedule pods";

/**
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` Then why nothing else helps either, if that is so:
 * to take devices back from pods that no longer need them, of which there are none here, and to take the place of other pods.
 */
export function failureMessage({ nodes, conflict, reasons }: Failure, preemption?: string): string {
  if (nodes === 0) return noNodesMessage;
  // upstream does not get further than to ask for claims that were never looked at
  if (conflict !== undefined) return `0/${nodes} nodes are available: ${conflict}. not found`;
  const message = unavailable(nodes, reasons);
  return preemption === undefined ? message : `${message} no new claims to deallocate, preemption: ${preemption}`;
}

/** Reasons are sorted as text, counts included. */
export function unavailable(nodes: number, reasons: ReadonlyMap<string, number>): string {
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${counted.join(", ")}.`;
}
