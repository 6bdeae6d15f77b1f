/** Why a pod could not be placed, in the words that people know: for its condition and its event. */
import type { Failure } from "./choose.js";

export const noNodesMessage = "no nodes available to schedule pods";

/**
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` Reasons are sorted as text, counts included. Then
 * why taking the place of other pods would not help; nothing of that if it would, because this scheduler does not do it.
 */
export function failureMessage(failure: Failure): string {
  if (failure.nodes === 0) return noNodesMessage;
  const available = `0/${failure.nodes} nodes are available:`;
  const message = `${available} ${counted(failure.reasons)}.`;
  const { unresolvable, withoutVictims } = failure;
  if (withoutVictims === undefined) return message;
  const useless = new Map([
    ["Preemption is not helpful for scheduling", unresolvable],
    ["No preemption victims found for incoming pod", withoutVictims],
  ]);
  return `${message} preemption: ${available} ${counted(useless)}.`;
}

function counted(reasons: ReadonlyMap<string, number>): string {
  return [...reasons]
    .flatMap(([reason, count]) => (count === 0 ? [] : [`${count} ${reason}`]))
    .sort()
    .join(", ");
}
