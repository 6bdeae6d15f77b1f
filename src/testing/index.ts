/** testing: takes everything, gives tests clusters in their own process, clocks, faults, and a real kube-apiserver. */
export { FakeClock, seededRandom } from "../base/index.js";
export {
  type Fault,
  type FaultPlan,
  faultyTransport,
  seededFaults,
  type SeededFaultsOptions,
} from "../client/index.js";
export { fakeEventRecorder } from "../controller/index.js";
export {
  type ClusterForkOptions,
  type ClusterOptions,
  startTestServer,
  startCluster,
  type TestCluster,
  type TestServerOptions,
} from "./cluster.js";
export { type Envtest, type EnvtestAccess, envtestAssets, type EnvtestOptions, startEnvtest } from "./envtest.js";
export { checkRoundTrip, type RoundTripOptions } from "./round-trip/check-round-trip.js";
export { hasRealCluster, realCluster, shareEnvtest } from "./shared-envtest.js";
export {
  allFaults,
  always,
  type Check,
  type Controls,
  type Coverage,
  type CoverageOfFault,
  defaultOracles,
  eventually,
  type Failure,
  type FaultKind,
  type History,
  type HoldOptions,
  type JudgedRun,
  type Moment,
  never,
  type Operator,
  type OperatorTools,
  type Oracle,
  type OracleWatch,
  type Place,
  type Plan,
  type PlannedFault,
  type ReferenceFacts,
  type Progress,
  type Report,
  type ScenarioTools,
  simulate,
  type SimulateOptions,
  type Somebody,
  type StateView,
  type StoryTrace,
  type Strike,
  type TraceEvent,
} from "./simulation/index.js";
