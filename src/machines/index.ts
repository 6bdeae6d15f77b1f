/** machines: takes a client, gives a cluster simulated nodes that play kubelet for the pods that are bound to them. */
export { type ContainerLog, containerLog, type ContainerLogOptions } from "./container-log.js";
export type { KubeletPortOptions } from "./port/ports.js";
export { newNode, type NodeCapacity, nodeName } from "./node-object.js";
export { isPoweredOn, isSimulated, powerAnnotation, simulatedLabel } from "../placement/simulated-machines.js";
export type { Behaviour, BehaviourRule, Load } from "./pod/behaviour.js";
export {
  registerNodes,
  type RegisterOptions,
  type SimulatedNodes,
  type SimulatedNodesOptions,
  startSimulatedNodes,
} from "./simulated-nodes.js";
export {
  type ContainerUsage,
  type Measurements,
  type NodeUsage,
  type PodUsage,
  simulatedUsage,
  type SimulatedUsageOptions,
} from "./usage/usage.js";
