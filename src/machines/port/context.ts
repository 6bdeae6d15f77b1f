/** The part of the nodes' context that their ports need, and the pods as it shows them. */
import type { Pod } from "../../api/index.js";
import type { NodeContext } from "../context.js";
import type { WorkCounters } from "../usage/work-counters.js";
import type { ContainerFiles } from "./files.js";
import type { PodPorts } from "./pod-ports.js";

export type PortContext = Pick<
  NodeContext,
  "client" | "nodes" | "pods" | "clock" | "log" | "followCommands" | "speed" | "rules"
> & { readonly podPorts: PodPorts; readonly files: ContainerFiles; readonly work: WorkCounters };

export const podIn = ({ pods }: PortContext, namespace: string, name: string): Pod | undefined =>
  pods.get(`${namespace}/${name}`);

const lookEveryMs = 500;

interface Watched {
  /** Asked about the pod as it is now. */
  readonly goesOn: (pod: Pod) => boolean;
  readonly signal: AbortSignal;
}

/** Resolves when the pod is gone, or does not go on. Rejects if the signal aborts. */
export async function endOf({ metadata }: Pod, { goesOn, signal }: Watched, context: PortContext): Promise<void> {
  const { uid, name, namespace = "" } = metadata;
  for (;;) {
    const now = podIn(context, namespace, name);
    if (now === undefined || now.metadata.uid !== uid || !goesOn(now)) return;
    await context.clock.sleep(lookEveryMs, signal);
  }
}
