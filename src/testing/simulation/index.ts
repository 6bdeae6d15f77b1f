/** simulation: takes an operator and a scenario, plays them through histories of faults, gives proof or the story of a failure. */
export { allFaults, type Controls, type FaultKind, type Place, type Somebody } from "./faults/index.js";
export type { History } from "./history.js";
export {
  type Coverage,
  type Failure,
  type Operator,
  type OperatorTools,
  type Progress,
  type Report,
  type ScenarioTools,
  type SimulateOptions,
} from "./options.js";
export {
  always,
  type Check,
  defaultOracles,
  eventually,
  type Judged,
  never,
  type Oracle,
  type OracleWatch,
  type StateView,
} from "./oracles/index.js";
export type { Moment, Plan, PlannedFault } from "./plan.js";
export { simulate } from "./simulate.js";
