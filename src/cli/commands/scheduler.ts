/** `coxswain scheduler`: the scheduler alone, on any cluster. */
import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { DeviceClass, durationToMs, parseDuration, ResourceClaim, ResourceSlice } from "../../api/index.js";
import { deviceSelector } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import { messageOf } from "../../base/index.js";
import { startScheduler } from "../../scheduler/index.js";
import type { CompletedConfiguration } from "../../scheduler/configuration/complete.js";
import { completeSchedulerConfiguration, parseSchedulerConfiguration } from "../../scheduler/configuration/read.js";
import type { SchedulerConfiguration } from "../../scheduler/configuration/types.js";
import { type Part, partOptions, type PartFlags, runPart } from "../cluster-flags.js";
import { parseName } from "../flags.js";
import { unservedKinds } from "../served.js";
import type { Terminal } from "../terminal.js";

interface SchedulerFlags extends PartFlags {
  readonly schedulerName?: string;
  readonly config?: SchedulerConfiguration;
}

/** Reads and checks a KubeSchedulerConfiguration, so that a fault is told before anything starts. */
export function parseSchedulerFile(path: string): SchedulerConfiguration {
  try {
    const configuration = parseSchedulerConfiguration(readFileSync(path, "utf8"));
    completeSchedulerConfiguration(configuration);
    return configuration;
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

export function schedulerCommand(terminal: Terminal): Command {
  const command = new Command("scheduler")
    .description("give pods of a cluster their nodes; Ctrl-C stops it")
    .option("--scheduler-name <name>", "place the pods that ask for this one; default-scheduler without it", parseName)
    .option(
      "--config <file>",
      "a KubeSchedulerConfiguration: profiles, plug-ins, extenders, connection, leader election",
      parseSchedulerFile,
    );
  for (const option of partOptions()) command.addOption(option);
  return command.action(async (flags: SchedulerFlags) => {
    const { schedulerName, config: configuration } = flags;
    if (schedulerName !== undefined && configuration !== undefined) {
      command.error("error: --scheduler-name has no effect beside --config, which names its profiles");
    }
    const configured = configuration && completeSchedulerConfiguration(configuration);
    const names = configured?.profiles.map((profile) => profile.schedulerName) ?? [
      schedulerName ?? "default-scheduler",
    ];
    await runPart(
      {
        name: "scheduler",
        ...leaseOf(schedulerName, configured),
        async run({ signal, say, show, ...surroundings }) {
          const devices = await unservedKinds(surroundings.client, [ResourceClaim, ResourceSlice, DeviceClass], signal);
          if (devices.length > 0) surroundings.log.warn("the server lacks kinds of devices, which are not allocated");
          const by = defined({ schedulerName, configuration });
          const options = { ...surroundings, ...by, ...(devices.length === 0 && { deviceSelector }) };
          await using scheduler = startScheduler(options, signal);
          show({ informers: scheduler.informers });
          await scheduler.started;
          if (!signal.aborted) say(`placing pods of ${names.join(", ")}`);
          await scheduler.done;
        },
      },
      { ...flags, ...connectionOf(flags, configuration) },
      terminal,
    );
  });
}

/** A scheduler of another name may run beside the first, so it has a lease of its own. */
function leaseOf(
  name: string | undefined,
  configured: CompletedConfiguration | undefined,
): Pick<Part, "lease" | "times"> {
  if (configured === undefined) {
    return { lease: name === undefined || name === "default-scheduler" ? "kube-scheduler" : `kube-scheduler-${name}` };
  }
  const { resourceName, resourceNamespace, leaseDuration, renewDeadline, retryPeriod } = configured.leaderElection;
  const ms = (text: string): number => durationToMs(parseDuration(text));
  return {
    lease: { namespace: resourceNamespace, name: resourceName },
    times: {
      leaseDurationMs: ms(leaseDuration),
      renewDeadlineMs: ms(renewDeadline),
      retryPeriodMs: ms(retryPeriod),
    },
  };
}

/** Flags go before the file. */
function connectionOf(flags: SchedulerFlags, configuration: SchedulerConfiguration | undefined): Partial<PartFlags> {
  const { kubeconfig, qps, burst } = configuration?.clientConnection ?? {};
  const rateLimit = qps === undefined || qps <= 0 ? undefined : { ratePerSecond: qps, burst: burst || 100 };
  const leaderElect = flags.leaderElect && (configuration?.leaderElection?.leaderElect ?? true);
  return { leaderElect, ...defined({ rateLimit, kubeconfig: flags.kubeconfig ?? (kubeconfig || undefined) }) };
}
