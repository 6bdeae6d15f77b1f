/** `coxswain up`: starts every part of the control plane, prints which, and stops them in reverse order. */
import { resolve } from "node:path";
import { Command } from "commander";
import { type ApiServer, startApiServer } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import {
  abortable,
  type HttpHeaders,
  type HttpResponse,
  isAbortOf,
  Lifetime,
  MetricsRegistry,
} from "../../base/index.js";
import type { ControllerDescriptor } from "../../builtin/index.js";
import type { PageSources } from "../../dashboard/index.js";
import { clientAuthority } from "../security/authentication.js";
import { securityOptions } from "../security/options.js";
import { type SecurityFlags, securitySettings } from "../security/settings.js";
import type { SchedulerConfiguration } from "../../scheduler/index.js";
import { concurrencyOption, controllersOption } from "./controller-manager.js";
import { parseSchedulerFile } from "./scheduler.js";
import {
  followCommandsOption,
  loggerOf,
  parseBindAddress,
  parseCount,
  parseDevices,
  parsePath,
  parsePort,
  parseSpeed,
  type ServerFlags,
  serverOptions,
  serverSettings,
} from "../flags.js";
import { refuseObstacle, writeKubeconfigOut } from "../kubeconfig-out.js";
import { besideKubeconfig } from "../memory-cluster.js";
import { podNetwork } from "../../machines/addresses.js";
import { simulatedUsage } from "../../machines/index.js";
import { withNodeRanges } from "../controllers/node-ranges.js";
import { type Parts, startParts } from "../parts.js";
import type { Terminal } from "../terminal.js";
import { startStatusServer, type StatusServerOptions } from "../status-server.js";
import { startSummary } from "../summary.js";
import { packageVersion } from "../version.js";

interface UpFlags extends ServerFlags, SecurityFlags {
  readonly statusPort: number;
  readonly statusBind: string;
  readonly kubeconfigOut: string;
  readonly controllers: readonly ControllerDescriptor[];
  readonly concurrency?: ReadonlyMap<string, number>;
  readonly nodes: number;
  readonly devices: number;
  readonly cloud: boolean;
  readonly speed: number;
  readonly followCommands: boolean;
  /** False for `--no-scheduler`. */
  readonly scheduler: boolean;
  readonly schedulerConfig?: SchedulerConfiguration;
  /** False for `--no-page`. */
  readonly page: boolean;
}

export function upCommand(terminal: Terminal): Command {
  const command = new Command("up")
    .description("start the control plane on this machine; Ctrl-C stops it")
    .option(
      "--status-port <port>",
      "the port of the page, /healthz, /readyz, /metrics and /debug; 0 takes a free one",
      parsePort,
      6480,
    )
    .option(
      "--status-bind <address>",
      "the address of that port; in the clear, and the page and /metrics ask for credentials where others can reach it",
      parseBindAddress,
      "127.0.0.1",
    )
    .option("--kubeconfig-out <file>", "write the administrator's kubeconfig here", parsePath, "coxswain.kubeconfig")
    .addOption(controllersOption())
    .addOption(concurrencyOption())
    .option("--nodes <count>", "how many simulated nodes to register: 0 to 5000", parseCount, 3)
    .option("--devices <count>", "how many devices each of them has, for resource claims: 0 to 64", parseDevices, 0)
    .option(
      "--cloud",
      "they are machines of a simulated cloud, which gives them ids, zones and public addresses",
      false,
    )
    .option("--speed <factor>", "how much faster simulated pods live than the clock says", parseSpeed, 1)
    .addOption(followCommandsOption())
    .option("--no-scheduler", "leave pods to a scheduler of your own")
    .option(
      "--scheduler-config <file>",
      "a KubeSchedulerConfiguration: profiles, plug-ins and extenders",
      parseSchedulerFile,
    )
    .option("--no-page", "do not serve the page");
  for (const option of [...serverOptions(), ...securityOptions()]) command.addOption(option);
  return command.action((flags: UpFlags) => {
    // a user who takes any port for the server probably runs several servers, so the status port is any free one too
    const any = flags.port === 0 && command.getOptionValueSource("statusPort") === "default";
    return up(any ? { ...flags, statusPort: 0 } : flags, terminal);
  });
}

async function up(flags: UpFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  await using lifetime = new Lifetime();
  const log = terminal.isInteractive ? loggerOf(flags, aboveSummary(terminal)) : loggerOf(flags);
  const metrics = new MetricsRegistry();
  const atWork: { parts?: Parts } = {};
  const server = lifetime.use(
    await startApiServer({
      ...serverSettings(flags),
      ...(await securitySettings(flags)),
      log,
      metrics,
      systemObjects: true,
      kubelets: { onLoopback: true },
      podNetwork: (host, port) => atWork.parts?.dialPod(host, port),
      usage: simulatedUsage({ speed: flags.speed }),
      components: ["controller-manager", ...(flags.scheduler ? (["scheduler"] as const) : [])],
      ...(flags.dataDir === undefined ? await besideKubeconfig(flags) : { dataDir: flags.dataDir }),
    }),
  );
  const listener = lifetime.use(
    await server.listen({ address: flags.bind, port: flags.port, ...(await clientAuthority(flags)) }),
  );
  const out = { path: flags.kubeconfigOut, text: listener.kubeconfig };
  await refuseObstacle(out);
  let isUp = false;
  const notUp = (): string | undefined => (stop.signal.aborted ? "stopping" : isUp ? undefined : "starting");
  const where = { host: flags.statusBind, port: flags.statusPort };
  const page = flags.page ? pageSources(atWork, { metrics, problem: notUp }) : undefined;
  const shown = { metrics, log, page, controllers: () => atWork.parts?.controllers, ...statusOf(server, notUp) };
  const status = lifetime.use(await startStatusServer({ ...where, ...shown }));
  const { authority: ca } = listener;
  const credentials = { tokenKey: server.tokenKey(), signer: server.authority(), ...defined({ ca }) };
  // nodes that users make get ranges beside those that simulated nodes bring
  const controllers = withNodeRanges(flags.controllers, { allocateNodeCidrs: true, clusterCidr: [podNetwork] });
  const options = { ...flags, controllers, metrics, log, credentials };
  const parts = lifetime.use(await startParts(server, options, stop.signal));
  atWork.parts = parts;
  await writeKubeconfigOut(out);
  isUp = true;

  terminal.out(`ready ${listener.url}

coxswain ${packageVersion()} is up
  page         ${status.pageUrl ?? "none"}
  API server   ${listener.url}
  kubeconfig   ${resolve(flags.kubeconfigOut)}
  status       ${status.url}/readyz, /healthz, /metrics, /debug/controllers, /debug/journal?key=default/web
  controllers  ${flags.controllers.length === 0 ? "none" : `${flags.controllers.length}, built-in`}
  scheduler    ${schedulersOf(flags)}
  nodes        ${flags.nodes === 0 ? "none but those with the label coxswain.dev/node=simulated" : `${flags.nodes}, simulated`}

Try:  export KUBECONFIG=${resolve(flags.kubeconfigOut)}
      kubectl get nodes
      kubectl create deployment web --image=nginx --replicas=3
      kubectl get pods --output wide
Press Ctrl-C to stop.
`);
  const deployments = flags.controllers.some(({ name }) => name === "deployment-controller");
  try {
    await using _summary = startSummary({ terminal, metrics, informers: parts.informers, deployments });
    await abortable(parts.done, stop.signal);
  } catch (error) {
    if (!isAbortOf(stop.signal, error)) throw error;
    log.info("stopping", { why: error });
  }
}

function pageSources(
  atWork: { readonly parts?: Parts },
  { metrics, problem }: { readonly metrics: MetricsRegistry; readonly problem: () => string | undefined },
): PageSources {
  return {
    title: "coxswain up",
    *informers() {
      for (const informer of atWork.parts?.informers.informers.values() ?? []) yield { cluster: "", informer };
    },
    loops: () => atWork.parts?.controllers.loops ?? [],
    journal: () => atWork.parts?.controllers.journal,
    metrics,
    client: () => atWork.parts?.client,
    problems: () => [problem() ?? []].flat(),
  };
}

function schedulersOf({ scheduler, schedulerConfig }: UpFlags): string {
  if (!scheduler) return "none: pods wait for one of yours";
  const names = schedulerConfig?.profiles?.map(({ schedulerName }) => schedulerName ?? "default-scheduler");
  return names?.join(", ") || "default-scheduler";
}

/** Readiness and the permission to read metrics are the API server's to decide. */
function statusOf(
  server: ApiServer,
  notUp: () => string | undefined,
): Pick<StatusServerOptions, "notReady" | "mayRead"> {
  const { signal } = new AbortController();
  const ask = (path: string, headers: HttpHeaders = {}): Promise<HttpResponse> =>
    server.handle({ method: "GET", path, headers }, signal);
  return {
    notReady: async () => notUp() ?? ((await ask("/readyz")).status === 200 ? undefined : "the API server is not"),
    mayRead: async (authorization) => authorization !== "" && (await ask("/metrics", { authorization })).status === 200,
  };
}

/** A log line takes the place of the summary, which is written again below it. */
const aboveSummary =
  (terminal: Terminal): ((line: string) => void) =>
  (line) => {
    terminal.out("\r\u001b[2K");
    terminal.err(line);
  };
