/**
 * simulation: takes an operator and a scenario, plays them through histories of faults, gives proof or the story of a
 * failure.
 */
export type { Controls, FaultKind, HoldOptions, Place, ReferenceFacts, Somebody, Strike } from "./fault.js";
export { allFaults } from "./faults/index.js";
export type { History } from "./history.js";
export {
  type Coverage,
  type CoverageOfFault,
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
  never,
} from "./oracles/index.js";
export type { JudgedRun, Oracle, OracleWatch, StateView } from "./oracle.js";
export type { Moment, Plan, PlannedFault } from "./plan.js";
export { simulate } from "./simulate.js";
export type { StoryTrace, TraceEvent } from "./trace.js";
