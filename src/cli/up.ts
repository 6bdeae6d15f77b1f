/** `coxswain up`: starts every part of the control plane that there is, says which, and stops them in reverse order. */
import { resolve } from "node:path";
import { Command } from "commander";
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
import { type ControllerDescriptor, runControllers } from "../controllers/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../controller/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { startScheduler, startSimulatedNodes } from "../node/index.js";
import { controllersOption } from "./controller-manager.js";
import { type LogFlags, loggerOf, logOptions, parseCount, parsePort, parseSpeed } from "./flags.js";
import { simulatedNodeBackend } from "./node-backend.js";
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
  readonly nodes: number;
  readonly speed: number;
  /** False: `--no-scheduler`. */
  readonly scheduler: boolean;
}

export function upCommand(terminal: Terminal): Command {
  const command = new Command("up")
    .description("start the control plane on this machine; Ctrl-C stops it")
    .option("--bind <address>", "the address to listen on", "127.0.0.1")
    .option("--port <port>", "the port of the API server; 0 takes a free one", parsePort, 6443)
    .option("--status-port <port>", "the port of /healthz, /readyz and /metrics; 0 takes a free one", parsePort, 6480)
    .option("--data-dir <folder>", "keep objects in this folder; without it they are gone when the server stops")
    .option("--kubeconfig-out <file>", "write the administrator's kubeconfig here", "coxswain.kubeconfig")
    .addOption(controllersOption())
    .option("--nodes <count>", "how many simulated nodes to register: 0 to 5000", parseCount, 3)
    .option("--speed <factor>", "how much faster simulated pods live than the clock says", parseSpeed, 1)
    .option("--no-scheduler", "leave pods to a scheduler of your own");
  for (const option of logOptions()) command.addOption(option);
  return command.action((flags: UpFlags) => up(flags, terminal));
}

async function up(flags: UpFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  await using lifetime = new Lifetime();
  const log = loggerOf(flags);
  const metrics = new MetricsRegistry();
  const server = lifetime.use(
    await startApiServer({
      log,
      metrics,
      systemObjects: true,
      nodes: simulatedNodeBackend,
      ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
    }),
  );
  const listener = lifetime.use(await server.listen({ address: flags.bind, port: flags.port }));
  await writeKubeconfig(flags.kubeconfigOut, listener.kubeconfig);
  const status = lifetime.use(await startStatusServer({ host: flags.bind, port: flags.statusPort, metrics, log }));
  const clientOptions = { transport: server.transport(), fieldManager: "coxswain", userAgent: "coxswain" };
  const client = lifetime.use(new Client(clientOptions));
  // a thousand pods that start at once are told of while there is time, and do not start later for it
  const eventClient = new Client({ ...clientOptions, rateLimit: { ratePerSecond: 200, burst: 300 } });
  const ca = listener.authority;
  const tokenKey = server.tokenKey();
  const parts = await startParts(flags, lifetime, {
    client,
    eventClient,
    metrics,
    log,
    ca,
    tokenKey,
    signal: stop.signal,
  });

  terminal.out(`ready ${listener.url}

coxswain ${packageVersion()} is up
  API server   ${listener.url}
  kubeconfig   ${resolve(flags.kubeconfigOut)}
  status       ${status.url}/readyz, /healthz, /metrics
  controllers  ${flags.controllers.map(({ name }) => name).join(", ") || "none"}
  scheduler    ${flags.scheduler ? "default-scheduler" : "none: pods wait for one of yours"}
  nodes        ${flags.nodes === 0 ? "none but those with the label coxswain.dev/node=simulated" : `${flags.nodes}, simulated`}

Try:  export KUBECONFIG=${resolve(flags.kubeconfigOut)}
      kubectl get nodes
      kubectl create deployment web --image=nginx --replicas=3
      kubectl get pods --output wide
Press Ctrl-C to stop.
`);
  try {
    await abortable(Promise.race(parts.map(({ done }) => done)), stop.signal);
  } catch (error) {
    if (!isAbortOf(stop.signal, error)) throw error;
    log.info("stopping", { why: error });
  }
}

interface Surroundings {
  readonly client: Client;
  readonly eventClient: Client;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string | undefined;
  /** PEM of the key that signs tokens of service accounts. */
  readonly tokenKey: string;
  readonly signal: AbortSignal;
}

/** Starts what there is besides the server, over one set of caches. Resolves once they are filled and everything works. */
async function startParts(flags: UpFlags, lifetime: Lifetime, surroundings: Surroundings): Promise<readonly Running[]> {
  const { client, eventClient, metrics, log, ca, tokenKey, signal } = surroundings;
  const events = new EventBroadcaster({ log, metrics, queueLimit: 20_000, flushMs: 1_000 });
  lifetime.use(events.startRecordingToSink(coreCorrelation(coreEventSink(eventClient))));
  const informers = new SharedInformerFactory(client, { logger: log, metrics });
  lifetime.defer(() => informers.shutdown());
  const shared = { client, eventClient, informers, metrics, log };
  const untaint = !flags.controllers.some(({ name }) => name === "node-lifecycle-controller");
  const nodes = lifetime.use(
    startSimulatedNodes({ ...shared, nodes: flags.nodes, speed: flags.speed, untaint }, signal),
  );
  const scheduler = flags.scheduler ? [lifetime.use(startScheduler(shared, signal))] : [];
  let begun = (): void => {};
  const started = new Promise<void>((begin) => {
    begun = begin;
  });
  const controllers = lifetime.use(
    startRunning(
      (ending) =>
        runControllers({
          ...shared,
          controllers: flags.controllers,
          credentials: { tokenKey, ...(ca === undefined ? {} : { ca }) },
          oneServer: true,
          recorderFor: (component) => events.newRecorder({ component }),
          signal: ending,
          onStarted: () => begun(),
        }),
      signal,
    ),
  );
  await Promise.race([started, controllers.done]);
  await Promise.all([nodes, ...scheduler].map((part) => part.started));
  return [controllers, nodes, ...scheduler];
}
