/** The scheduler and the simulated nodes as the operator, in a world with all controllers. */
import { type Running, startRunning } from "../../../src/base/index.js";
import { SharedInformerFactory } from "../../../src/informer/index.js";
import { startSimulatedNodes } from "../../../src/machines/index.js";
import { startScheduler } from "../../../src/scheduler/index.js";
import { defaultOracles, type OperatorTools, type SimulateOptions } from "../../../src/testing/index.js";
import { faultsForWorkloads, job, workloads } from "./workloads.js";

function machines({ client, clock, random }: OperatorTools): Running {
  return startRunning(async (signal) => {
    const informers = new SharedInformerFactory(client, { clock, random });
    await using nodes = startSimulatedNodes({ client, informers, clock, random, nodes: 2 }, signal);
    await using scheduler = startScheduler({ client, informers, clock, random, ignoresVolumes: true }, signal);
    await using _informers = informers.start({ signal });
    await Promise.all([nodes.done, scheduler.done]);
  });
}

const subject: SimulateOptions = {
  operator: machines,
  async scenario(tools) {
    await Promise.all([workloads(tools), job(tools)]);
  },
  world: { controllers: ["*"] },
  // pods that are deleted or relabelled by others while nobody runs them are the controllers' business
  faults: faultsForWorkloads.filter(({ name }) => !name.startsWith("child-")),
  // a node that starts reports at once
  oracles: defaultOracles.filter(({ name }) => name !== "rests-when-done"),
};
export default subject;
