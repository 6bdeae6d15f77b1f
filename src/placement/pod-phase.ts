/** The end of a pod, as every part of the control plane judges it. */
import type { Pod } from "../api/index.js";

/** True if all containers of the pod have ended for good: it holds no resources of its node any more. */
export const isTerminal = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
