/** `coxswain controller-manager`: the built-in controllers alone, on any cluster. */
import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { defined } from "../../base/defined.js";
import { Lifetime, messageOf } from "../../base/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../../controller/index.js";
import {
  builtInControllers,
  type ClusterCredentials,
  type ControllerDescriptor,
  runControllers,
  selectControllers,
} from "../../builtin/index.js";
import { SharedInformerFactory } from "../../informer/index.js";
import { partOptions, type PartFlags, runPart } from "../cluster-flags.js";
import type { Terminal } from "../terminal.js";

interface ControllerManagerFlags extends PartFlags {
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
  for (const option of partOptions()) command.addOption(option);
  return command.action((flags: ControllerManagerFlags) =>
    runPart(
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
            controllers: flags.controllers,
            credentials,
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
    ),
  );
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
