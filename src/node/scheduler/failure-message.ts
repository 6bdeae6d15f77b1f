/** Why a pod could not be placed, in the words that people know: for its condition and its event. */
import type { Failure } from "./choose.js";

export const noNodesMessage = "no nodes available to schedule pods";

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` Reasons are sorted as text, counts included. */
export function failureMessage({ nodes, reasons }: Failure): string {
  if (nodes === 0) return noNodesMessage;
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  const said = counted.length === 0 ? "" : ` ${counted.join(", ")}.`;
  return `0/${nodes} nodes are available:${said}`;
}
