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
  oracles: oraclesBut(
    // a pod that is deleted after the Job has counted it is not made again
    { told: /deletes Pod/, lines: /^Pod default\/once-\*: is missing$/ },
    // a pod whose creation was not answered is made again, and both may have run before the controller sees the first:
    // "the same program may sometimes be started twice", say the documents of Kubernetes
    {
      told: /^(?:lose-answer|time-out|duplicate) /,
      lines:
        /^Pod default\/once-\* \(2\): should not be there$|^Job default\/once: status\.succeeded should be 1 and is 2$/,
    },
  ),
  // its own writes are remembered in memory, as upstream's expectations are: after a restart, a server that is behind
  // hides them (by a watch from the past, or an old list), and a pod with a generated name is made again
  // and a Job cannot complete before its start by the clock of its controller, here and upstream
  faults: faultsForWorkloads.filter(({ name }) => !["time-travel", "old-list", "clock-jump"].includes(name)),
};
export default subject;
