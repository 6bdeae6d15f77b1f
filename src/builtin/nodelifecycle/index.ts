/** The node lifecycle controller: what happens to a node, and to its pods, when it is not well. */
import type { ControllerDescriptor } from "../kit/context.js";
import { NodeLifecycleController } from "./controller.js";

export const nodeLifecycleController: ControllerDescriptor = {
  name: "node-lifecycle-controller",
  aliases: ["nodelifecycle"],
  create: (context) => new NodeLifecycleController(context),
};
