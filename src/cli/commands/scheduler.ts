/** `coxswain scheduler`: the scheduler alone, on any cluster. */
import { Command } from "commander";
import { DeviceClass, ResourceClaim, ResourceSlice } from "../../api/index.js";
import { deviceSelector } from "../../apiserver/index.js";
import { startScheduler } from "../../scheduler/index.js";
import { partOptions, type PartFlags, runPart } from "../cluster-flags.js";
import { parseName } from "../flags.js";
import { unservedKinds } from "../served.js";
import type { Terminal } from "../terminal.js";

interface SchedulerFlags extends PartFlags {
  readonly schedulerName: string;
}

export function schedulerCommand(terminal: Terminal): Command {
  const command = new Command("scheduler")
    .description("give pods of a cluster their nodes; Ctrl-C stops it")
    .option("--scheduler-name <name>", "place the pods that ask for this one", parseName, "default-scheduler");
  for (const option of partOptions()) command.addOption(option);
  return command.action((flags: SchedulerFlags) => {
    const { schedulerName } = flags;
    // a scheduler of another name may run beside the first, so it has a lease of its own
    const lease = schedulerName === "default-scheduler" ? "kube-scheduler" : `kube-scheduler-${schedulerName}`;
    return runPart(
      {
        name: "scheduler",
        lease,
        async run({ signal, say, show, ...surroundings }) {
          const devices = await unservedKinds(surroundings.client, [ResourceClaim, ResourceSlice, DeviceClass], signal);
          if (devices.length > 0) surroundings.log.warn("the server lacks kinds of devices, which are not allocated");
          const options = { ...surroundings, schedulerName, ...(devices.length === 0 && { deviceSelector }) };
          await using scheduler = startScheduler(options, signal);
          show({ informers: scheduler.informers });
          await scheduler.started;
          if (!signal.aborted) say(`placing pods of ${schedulerName}`);
          await scheduler.done;
        },
      },
      flags,
      terminal,
    );
  });
}
