import type { NodeContext } from "../context.js";
import type { WorkCounters } from "../usage/work-counters.js";
import type { ContainerFiles } from "./files.js";
import type { PodPorts } from "./pod-ports.js";

/** The part of the nodes' context that their ports need. */
export type PortContext = Pick<
  NodeContext,
  "client" | "nodes" | "pods" | "clock" | "log" | "followCommands" | "speed" | "rules"
> & { readonly podPorts: PodPorts; readonly files: ContainerFiles; readonly work: WorkCounters };
