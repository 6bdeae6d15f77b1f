/** The ReplicaSet and ReplicationController controllers: keep the wanted number of pods of a template. */
import type { ControllerDescriptor } from "../kit/context.js";
import { ReplicaController } from "./controller.js";
import { replicaSets, replicationControllers } from "./kinds.js";

export const replicaSetController: ControllerDescriptor = {
  name: "replicaset-controller",
  aliases: ["replicaset"],
  create: (context) => new ReplicaController(context, replicaSets),
};

export const replicationController: ControllerDescriptor = {
  name: "replicationcontroller-controller",
  aliases: ["replicationcontroller"],
  create: (context) => new ReplicaController(context, replicationControllers),
};
