/** `coxswain controller-manager`: the built-in controllers alone, on any cluster. */
import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { defined } from "../../base/defined.js";
import { Lifetime, type Logger, messageOf } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../../controller/index.js";
import { durationToMs, resourceKey } from "../../api/index.js";
import {
  type AutoscalerSettings,
  builtInControllers,
  type ClusterCredentials,
  type ControllerDescriptor,
  podAutoscaler,
  runControllers,
  selectControllers,
} from "../../builtin/index.js";
import { policyWarnings } from "../../apiserver/index.js";
import { SharedInformerFactory } from "../../informer/index.js";
import { partOptions, type PartFlags, runPart } from "../cluster-flags.js";
import { featureGatesOption, type GateFlags, withFeatureGates } from "../controllers/feature-gates.js";
import { type NodeRangeFlags, nodeRangeOptions, withNodeRanges } from "../controllers/node-ranges.js";
import { unservedKinds } from "../served.js";
import type { Terminal } from "../terminal.js";

interface AutoscalerFlags {
  readonly horizontalPodAutoscalerSyncPeriod?: number;
  readonly horizontalPodAutoscalerDownscaleStabilization?: number;
  readonly horizontalPodAutoscalerTolerance?: number;
  readonly horizontalPodAutoscalerCpuInitializationPeriod?: number;
  readonly horizontalPodAutoscalerInitialReadinessDelay?: number;
}

interface ControllerManagerFlags extends PartFlags, AutoscalerFlags, NodeRangeFlags, GateFlags {
  readonly controllers: readonly ControllerDescriptor[];
  readonly concurrency?: ReadonlyMap<string, number>;
  readonly serviceAccountPrivateKeyFile?: string;
  readonly rootCaFile?: string;
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
}

export const controllersOption = (): Option =>
  new Option("--controllers <names>", "which to run: *, name, -name, with commas between")
    .default(selectControllers(["*"], builtInControllers), "*")
    .argParser(parseControllers);

function parseControllers(text: string): readonly ControllerDescriptor[] {
  try {
    return selectControllers(text.split(","), builtInControllers);
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
}

export const concurrencyOption = (): Option =>
  new Option(
    "--concurrency <list>",
    "how many objects a controller works on at once: name=number, with commas between",
  ).argParser(parseConcurrency);

function parseConcurrency(text: string): ReadonlyMap<string, number> {
  const known = new Set(builtInControllers.flatMap(({ name, aliases }) => [name, ...aliases]));
  return new Map(
    text.split(",").map((part) => {
      const [, name = "", count = ""] = /^([^=]+)=([0-9]{1,4})$/.exec(part) ?? [];
      if (!known.has(name)) {
        const names = builtInControllers.map((controller) => controller.name).toSorted();
        throw new InvalidArgumentError(
          `"${part}" is not name=number with the name of a controller: ${names.join(", ")}.`,
        );
      }
      if (Number(count) < 1 || Number(count) > 1000)
        throw new InvalidArgumentError(`"${part}" is not a number from 1 to 1000.`);
      return [name, Number(count)] as const;
    }),
  );
}

function parseMs(text: string): number {
  try {
    const ms = durationToMs(text);
    if (ms >= 0) return ms;
  } catch {
    // the message below names the accepted forms
  }
  throw new InvalidArgumentError(`"${text}" is not a duration such as 15s or 1m30s.`);
}

/** A sync that never waits would ask for metrics without end. */
function parsePeriod(text: string): number {
  const ms = parseMs(text);
  if (ms < 1) throw new InvalidArgumentError(`"${text}" is not a time of at least a millisecond.`);
  return ms;
}

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() !== "" && share >= 0 && share < Number.POSITIVE_INFINITY) return share;
  throw new InvalidArgumentError(`"${text}" is not a number such as 0.1.`);
}

/** Names and defaults are those of kube-controller-manager. */
const autoscalerOptions = (): readonly Option[] => [
  new Option(
    "--horizontal-pod-autoscaler-sync-period <time>",
    "how often targets are looked at (default: 15s)",
  ).argParser(parsePeriod),
  new Option(
    "--horizontal-pod-autoscaler-downscale-stabilization <time>",
    "how long a recommendation keeps a target from shrinking below it (default: 5m)",
  ).argParser(parseMs),
  new Option(
    "--horizontal-pod-autoscaler-tolerance <share>",
    "the change of a metric below which nothing is scaled (default: 0.1)",
  ).argParser(parseShare),
  new Option(
    "--horizontal-pod-autoscaler-cpu-initialization-period <time>",
    "how long after its start the CPU of a pod may not count (default: 5m)",
  ).argParser(parseMs),
  new Option(
    "--horizontal-pod-autoscaler-initial-readiness-delay <time>",
    "how long after its start a change of readiness counts as the first (default: 30s)",
  ).argParser(parseMs),
];

/** The controllers with the autoscaler as the flags want it. */
function withAutoscaler(
  controllers: readonly ControllerDescriptor[],
  flags: AutoscalerFlags,
): readonly ControllerDescriptor[] {
  const settings: Partial<AutoscalerSettings> = defined({
    syncPeriodMs: flags.horizontalPodAutoscalerSyncPeriod,
    downscaleStabilizationMs: flags.horizontalPodAutoscalerDownscaleStabilization,
    tolerance: flags.horizontalPodAutoscalerTolerance,
    cpuInitializationMs: flags.horizontalPodAutoscalerCpuInitializationPeriod,
    initialReadinessMs: flags.horizontalPodAutoscalerInitialReadinessDelay,
  });
  const autoscaler = podAutoscaler(settings);
  return controllers.map((one) => (one.name === autoscaler.name ? autoscaler : one));
}

/** Leaves out controllers whose kinds this server lacks: all others would wait for caches that are never filled. */
async function servedControllers(
  controllers: readonly ControllerDescriptor[],
  { client, log, signal }: { readonly client: Client; readonly log: Logger; readonly signal: AbortSignal },
): Promise<readonly ControllerDescriptor[]> {
  const kinds = controllers.flatMap(({ needs = [] }) => needs);
  const unserved = new Set(await unservedKinds(client, kinds, signal));
  return controllers.filter(({ name, needs = [] }) => {
    const missing = needs.filter((kind) => unserved.has(kind)).map(resourceKey);
    if (missing.length > 0)
      log.warn("the server lacks a kind of the controller, which does not run", { name, missing });
    return missing.length === 0;
  });
}

export function controllerManagerCommand(terminal: Terminal): Command {
  const command = new Command("controller-manager")
    .description("run the built-in controllers on a cluster; Ctrl-C stops it")
    .addOption(controllersOption())
    .addOption(concurrencyOption())
    .option(
      "--service-account-private-key-file <file>",
      "the key that signs tokens of service accounts; none are signed without it",
    )
    .option("--root-ca-file <file>", "the authority of the API server's certificate, published in every namespace")
    .option("--cluster-signing-cert-file <file>", "the authority that signs certificates; none are signed without it")
    .option("--cluster-signing-key-file <file>", "the private key of that authority");
  for (const option of [...autoscalerOptions(), ...nodeRangeOptions(), featureGatesOption(), ...partOptions()])
    command.addOption(option);
  return command.action((flags: ControllerManagerFlags) => {
    const asked = withFeatureGates(withNodeRanges(withAutoscaler(flags.controllers, flags), flags), flags);
    return runPart(
      {
        name: "controller-manager",
        lease: "kube-controller-manager",
        async run({ client, metrics, log, signal, say, show }) {
          await using lifetime = new Lifetime();
          const credentials = await credentialsOf(flags);
          const events = new EventBroadcaster({ log, metrics });
          lifetime.use(events.startRecordingToSink(coreCorrelation(coreEventSink(client))));
          const informers = new SharedInformerFactory(client, { logger: log, metrics });
          lifetime.defer(() => informers.shutdown());
          // before the caches are filled: the page tells which one is not, and why
          show({ informers });
          await runControllers({
            client,
            informers,
            metrics,
            log,
            signal,
            controllers: await servedControllers(asked, { client, log, signal }),
            credentials,
            policyWarnings,
            ...defined({ workers: flags.concurrency }),
            recorderFor: (component) => events.newRecorder({ component }),
            onStarted: (controllers) => {
              show({ controllers });
              say(`running ${controllers.names.join(", ")}`);
            },
          });
        },
      },
      flags,
      terminal,
    );
  });
}

async function credentialsOf({
  rootCaFile,
  serviceAccountPrivateKeyFile,
  clusterSigningCertFile,
  clusterSigningKeyFile,
}: ControllerManagerFlags): Promise<ClusterCredentials> {
  if ((clusterSigningCertFile === undefined) !== (clusterSigningKeyFile === undefined)) {
    throw new Error("--cluster-signing-cert-file and --cluster-signing-key-file need each other: give both or none");
  }
  const read = async (file: string | undefined): Promise<string | undefined> =>
    file === undefined ? undefined : readFile(file, "utf8");
  const [ca, tokenKey] = await Promise.all([read(rootCaFile), read(serviceAccountPrivateKeyFile)]);
  const [certificate, key] = await Promise.all([read(clusterSigningCertFile), read(clusterSigningKeyFile)]);
  const signer = certificate === undefined || key === undefined ? undefined : { certificate, key };
  return defined({ ca, tokenKey, signer });
}
