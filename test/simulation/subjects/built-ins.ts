/** The built-in controllers as the operator, with a Deployment and its Service. */
import { type Running, startRunning } from "../../../src/base/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../../src/builtin/index.js";
import { SharedInformerFactory } from "../../../src/informer/index.js";
import type { OperatorTools, SimulateOptions } from "../../../src/testing/index.js";
import { faultsForWorkloads, oraclesBut, workloads } from "./workloads.js";

export function controllers({ client, clock, random }: OperatorTools): Running {
  const chosen = selectControllers(["*"], builtInControllers).filter(({ name }) => !name.includes("volume"));
  return startRunning(async (signal) => {
    const informers = new SharedInformerFactory(client, { clock, random });
    try {
      await runControllers({ client, informers, clock, random, controllers: chosen, signal });
    } finally {
      await informers.shutdown();
    }
  });
}

const subject: SimulateOptions = {
  operator: controllers,
  scenario: workloads,
  world: { nodes: 2 },
  faults: faultsForWorkloads,
  // another takes its place, and goes when it comes back: it is then the one of the second revision
  oracles: oraclesBut({
    told: /takes a label from ReplicaSet/,
    lines: /^ReplicaSet |deployment\.kubernetes\.io\/revision/,
  }),
};
export default subject;
