/** `coxswain controller-manager`: the built-in controllers alone, on any cluster. */
import { Command, Option } from "commander";
import { Lifetime } from "../base/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../controller/index.js";
import {
  builtInControllers,
  type ControllerDescriptor,
  runControllers,
  selectControllers,
} from "../controllers/index.js";
import { partOptions, type PartFlags, runPart } from "./cluster-flags.js";
import { parseControllers } from "./flags.js";
import type { Terminal } from "./program.js";

interface ControllerManagerFlags extends PartFlags {
  readonly controllers: readonly ControllerDescriptor[];
}

export const controllersOption = (): Option =>
  new Option("--controllers <names>", "which to run: *, name, -name, with commas between")
    .default(selectControllers(["*"], builtInControllers), "*")
    .argParser(parseControllers);

export function controllerManagerCommand(terminal: Terminal): Command {
  const command = new Command("controller-manager")
    .description("run the built-in controllers on a cluster; Ctrl-C stops it")
    .addOption(controllersOption());
  for (const option of partOptions()) command.addOption(option);
  return command.action((flags: ControllerManagerFlags) =>
    runPart(
      {
        name: "controller-manager",
        lease: "kube-controller-manager",
        async run({ client, metrics, log, signal, say }) {
          await using lifetime = new Lifetime();
          const events = new EventBroadcaster({ log, metrics });
          lifetime.use(events.startRecordingToSink(coreCorrelation(coreEventSink(client))));
          await runControllers({
            client,
            metrics,
            log,
            signal,
            controllers: flags.controllers,
            recorderFor: (component) => events.newRecorder({ component }),
            onStarted: () => say(`running ${flags.controllers.map(({ name }) => name).join(", ")}`),
          });
        },
      },
      flags,
      terminal,
    ),
  );
}
