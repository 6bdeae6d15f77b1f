/** The DaemonSet controller: keeps one pod on every node that should have one, and rolls updates out. */
import type { ControllerDescriptor } from "../kit/context.js";
import { DaemonSetController } from "./controller.js";

export const daemonSetController: ControllerDescriptor = {
  name: "daemonset-controller",
  aliases: ["daemonset"],
  create: (context) => new DaemonSetController(context),
};
