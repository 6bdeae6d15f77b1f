/** The built-in controllers as the operator, with a Job. */
import type { SimulateOptions } from "../../../src/testing/index.js";
import { controllers } from "./built-ins.js";
import { faultsForWorkloads, job, oraclesBut } from "./workloads.js";

const subject: SimulateOptions = {
  operator: controllers,
  scenario: job,
  world: { nodes: 2 },
  // a pod that somebody deletes while it runs counts as failed
  ignore: ["status.failed"],
  // a pod that is deleted after the Job has counted it is not made again
  oracles: oraclesBut("deletes Pod", /^Pod default\/once-\*: is missing$/),
  // its own writes are remembered in memory, as upstream's expectations are: after a restart, a server that is behind
  // hides them (by a watch from the past, or an old list), and a pod with a generated name is made again
  // and a Job cannot complete before its start by the clock of its controller, here and upstream
  faults: faultsForWorkloads.filter(({ name }) => !["time-travel", "old-list", "clock-jump"].includes(name)),
};
export default subject;
