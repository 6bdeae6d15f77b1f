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
  type ClusterOptions,
  startApiServer,
  startCluster,
  type TestCluster,
  type TestServerOptions,
} from "./cluster.js";
export { type Envtest, type EnvtestAccess, envtestAssets, type EnvtestOptions, startEnvtest } from "./envtest.js";
export { hasRealCluster, realCluster, shareEnvtest } from "./shared-envtest.js";
