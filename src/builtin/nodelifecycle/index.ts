/** The node lifecycle controller: taints unhealthy nodes, and marks their pods. */
import type { ControllerDescriptor } from "../kit/context.js";
import { NodeLifecycleController } from "./controller.js";

export const nodeLifecycleController: ControllerDescriptor = {
  name: "node-lifecycle-controller",
  aliases: ["nodelifecycle"],
  create: (context) => new NodeLifecycleController(context),
};
