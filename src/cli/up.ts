/** `coxswain up`: starts every part of the control plane that there is, says which, and stops them in reverse order. */
import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { startApiServer, writeKubeconfig } from "../apiserver/index.js";
import {
  abortable,
  isAbortOf,
  Lifetime,
  type Logger,
  MetricsRegistry,
  type Running,
  startRunning,
} from "../base/index.js";
import { Client } from "../client/index.js";
import {
  builtInControllers,
  type ControllerDescriptor,
  runControllers,
  selectControllers,
} from "../controllers/index.js";
import { type LogFlags, loggerOf, logOptions, parsePort } from "./flags.js";
import type { Terminal } from "./program.js";
import { startStatusServer } from "./status-server.js";
import { packageVersion } from "./version.js";

interface UpFlags extends LogFlags {
  readonly bind: string;
  readonly port: number;
  readonly statusPort: number;
  readonly dataDir?: string;
  readonly kubeconfigOut: string;
  readonly controllers: readonly ControllerDescriptor[];
}

function parseControllers(text: string): readonly ControllerDescriptor[] {
  try {
    return selectControllers(text.split(","), builtInControllers);
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : String(error)}.`);
  }
}

export function upCommand(terminal: Terminal): Command {
  const command = new Command("up")
    .description("start the control plane on this machine; Ctrl-C stops it")
    .option("--bind <address>", "the address to listen on", "127.0.0.1")
    .option("--port <port>", "the port of the API server; 0 takes a free one", parsePort, 6443)
    .option("--status-port <port>", "the port of /healthz, /readyz and /metrics; 0 takes a free one", parsePort, 6480)
    .option("--data-dir <folder>", "keep objects in this folder; without it they are gone when the server stops")
    .option("--kubeconfig-out <file>", "write the administrator's kubeconfig here", "coxswain.kubeconfig")
    .addOption(
      new Option("--controllers <names>", "which to run: *, name, -name, with commas between")
        .default(selectControllers(["*"], builtInControllers), "*")
        .argParser(parseControllers),
    );
  for (const option of logOptions()) command.addOption(option);
  return command.action((flags: UpFlags) => up(flags, terminal));
}

async function up(flags: UpFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  await using lifetime = new Lifetime();
  const log = loggerOf(flags);
  const metrics = new MetricsRegistry();
  const server = lifetime.use(
    await startApiServer({ log, metrics, ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }) }),
  );
  const listener = lifetime.use(await server.listen({ address: flags.bind, port: flags.port }));
  await writeKubeconfig(flags.kubeconfigOut, listener.kubeconfig);
  const status = lifetime.use(await startStatusServer({ host: flags.bind, port: flags.statusPort, metrics, log }));
  const client = lifetime.use(
    new Client({ transport: server.transport(), fieldManager: "coxswain", userAgent: "coxswain" }),
  );
  const controllers = lifetime.use(
    await startControllers(flags.controllers, { client, metrics, log, signal: stop.signal }),
  );

  terminal.out(`coxswain ${packageVersion()} is up
  API server   ${listener.url}
  kubeconfig   ${resolve(flags.kubeconfigOut)}
  status       ${status.url}/readyz, /healthz, /metrics
  controllers  ${flags.controllers.map(({ name }) => name).join(", ") || "none"}
  nodes        none in this release yet: pods stay Pending

Try:  kubectl --kubeconfig ${flags.kubeconfigOut} get namespaces
Press Ctrl-C to stop.
`);
  try {
    await abortable(controllers.done, stop.signal);
  } catch (error) {
    if (!isAbortOf(stop.signal, error)) throw error;
    log.info("stopping", { why: error });
  }
}

interface Surroundings {
  readonly client: Client;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Resolves once their caches are filled and they work. */
async function startControllers(
  controllers: readonly ControllerDescriptor[],
  { signal, ...surroundings }: Surroundings,
): Promise<Running> {
  let started = (): void => {};
  const working = new Promise<void>((resolve) => {
    started = resolve;
  });
  const running = startRunning(
    (ending) => runControllers({ ...surroundings, controllers, signal: ending, onStarted: () => started() }),
    signal,
  );
  await Promise.race([working, running.done]);
  return running;
}
