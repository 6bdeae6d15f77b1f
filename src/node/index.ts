/** node: takes a client, gives a cluster its machines: simulated nodes that play kubelet, and the scheduler that fills them. */
export { type RunningScheduler, type SchedulerOptions, startScheduler } from "./scheduler/scheduler.js";
export { type ContainerLog, containerLog, type LogOptions } from "./simulated/container-log.js";
export {
  isPoweredOn,
  isSimulated,
  newNode,
  type NodeCapacity,
  nodeName,
  powerAnnotation,
  simulatedLabel,
} from "./simulated/node-object.js";
export { annotationPrefix, type Behaviour, type BehaviourRule } from "./simulated/pod/behaviour.js";
export {
  registerNodes,
  type RegisterOptions,
  type SimulatedNodes,
  type SimulatedNodesOptions,
  startSimulatedNodes,
} from "./simulated/simulated-nodes.js";
