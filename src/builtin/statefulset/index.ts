/** The StatefulSet controller: pods with stable names, created and updated in order, each with its own storage. */
import type { ControllerDescriptor } from "../kit/context.js";
import { StatefulSetController } from "./controller.js";

export const statefulSetController: ControllerDescriptor = {
  name: "statefulset-controller",
  aliases: ["statefulset"],
  create: (context) => new StatefulSetController(context),
};
