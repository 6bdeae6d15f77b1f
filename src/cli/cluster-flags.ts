/** The flags that commands on a cluster, real or embedded, share: how to reach it, and leader election. */
import { Option } from "commander";
import { defined } from "../base/defined.js";
import { abortable, isAbortOf, Lifetime, type Logger, MetricsRegistry } from "../base/index.js";
import { type Client, connect } from "../client/index.js";
import type { PageSources } from "../dashboard/index.js";
import type { SharedInformerFactory } from "../informer/index.js";
import { LeaderElector, leaseClient } from "../manager/index.js";
import { leadershipOf } from "../manager/http/page.js";
import { type LogFlags, loggerOf, logOptions, parsePort } from "./flags.js";
import type { RunningControllers } from "../builtin/index.js";
import type { Terminal } from "./terminal.js";
import { startStatusServer } from "./status-server.js";

export interface ClusterFlags extends LogFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly master?: string;
}

export interface PartFlags extends ClusterFlags {
  /** False for `--no-leader-elect`. */
  readonly leaderElect: boolean;
  readonly statusPort?: number;
  readonly tracing: boolean;
  /** The requests that it may send; any number by default. */
  readonly rateLimit?: { readonly ratePerSecond: number; readonly burst: number };
}

export const clusterOptions = (): readonly Option[] => [
  new Option("--kubeconfig <file>", "the cluster and the credentials; KUBECONFIG or ~/.kube/config without it"),
  new Option("--context <name>", "which context of the kubeconfig"),
  new Option("--master <url>", "the address of the API server; overrides the kubeconfig's"),
  ...logOptions(),
];

export const partOptions = (): readonly Option[] => [
  ...clusterOptions(),
  new Option("--no-leader-elect", "work at once, also if another process does the same"),
  new Option(
    "--status-port <port>",
    "serve the page, /healthz, /readyz and /metrics on this port of loopback; 0 takes a free one",
  ).argParser(parsePort),
  new Option(
    "--tracing",
    "make spans with the OpenTelemetry SDK that NODE_OPTIONS=--import=FILE has set up, and leave them on objects",
  ).default(false),
];

export function connectBy(
  flags: ClusterFlags,
  options: { readonly userAgent: string } & Pick<PartFlags, "rateLimit">,
): Promise<Client> {
  const { kubeconfig, context, master } = flags;
  return connect({
    ...options,
    fieldManager: options.userAgent,
    ...defined({ kubeconfig, context, master }),
  });
}

/** A part of the control plane that runs by itself, at most once in a cluster. */
export interface Part {
  readonly name: string;
  /** Its lease; a name alone is one in kube-system. */
  readonly lease: string | LeaseName;
  /** The times of its leader election, unless they are the usual ones. */
  readonly times?: ElectionTimes;
  /** Runs until the signal aborts. Calls `say` to tell the user that it works. */
  run(surroundings: PartSurroundings): Promise<void>;
}

interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

interface PartSurroundings {
  readonly client: Client;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  readonly signal: AbortSignal;
  say(text: string): void;
  /** Puts the caches and controllers of the part on the page and the debug pages of the status port. */
  show(parts: Pick<ShownPart, "informers" | "controllers">): void;
}

/** The state of a part as its page shows it; empty while the part waits for its turn. */
interface ShownPart {
  informers?: SharedInformerFactory;
  controllers?: RunningControllers;
  elector?: LeaderElector;
}

/**
 * Runs the part until the user stops it; with leader election, whenever this process leads. A part that fails ends the
 * program.
 */
export async function runPart(part: Part, flags: PartFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  await using lifetime = new Lifetime();
  const { signal } = stop;
  const metrics = new MetricsRegistry();
  const { rateLimit } = flags;
  const connected = lifetime.use(
    await connectBy(flags, { userAgent: `coxswain-${part.name}`, ...defined({ rateLimit }) }),
  );
  const plain = { client: connected, log: loggerOf(flags, (line) => terminal.err(line)) };
  const { client, log } = flags.tracing ? lifetime.use(await traced(plain)) : plain;
  // a wrong address or credential is reported at once, not retried for ever
  await client.discovery.version({ signal });
  const shown: ShownPart = {};
  let hasSaid = false;
  const say = (text: string): void => {
    hasSaid = true;
    terminal.out(`${text}\n`);
  };
  if (flags.statusPort !== undefined) {
    // a part calls `say` when it works, or when it waits for its turn
    const notReady = (): string | undefined => (signal.aborted ? "stopping" : hasSaid ? undefined : "starting");
    const where = { host: "127.0.0.1", port: flags.statusPort };
    const page = pageSources(`coxswain ${part.name}`, shown, { client, metrics, notReady });
    const options = { ...where, metrics, log, notReady, page, controllers: () => shown.controllers };
    const status = lifetime.use(await startStatusServer(options));
    terminal.out(`page ${status.pageUrl ?? ""}\n`);
  }
  const surroundings = { client, metrics, log, say, show: (parts: ShownPart) => void Object.assign(shown, parts) };
  try {
    if (!flags.leaderElect) return await part.run({ ...surroundings, signal });
    await leading(part, shown, { ...surroundings, signal });
  } catch (error) {
    if (!isAbortOf(signal, error)) throw error;
    log.info("stopping", { why: String(signal.reason) });
  }
}

/** A client and a logger, and the same as a part uses them while it is traced. */
interface Traced extends Disposable {
  readonly client: Client;
  readonly log: Logger;
}

/** The package of OpenTelemetry's API is the user's: it is loaded only if it is asked for. */
async function traced({ client, log }: Pick<Traced, "client" | "log">): Promise<Traced> {
  const { startTracing, withTraceIds } = await import("../opentelemetry/index.js").catch((error: unknown) => {
    throw new Error("--tracing needs the package @opentelemetry/api: install it beside coxswain", { cause: error });
  });
  const tracing = startTracing();
  return {
    client: tracing.annotating(client),
    log: withTraceIds(log),
    [Symbol.dispose]: () => tracing[Symbol.dispose](),
  };
}

interface PageFacts {
  readonly client: Client;
  readonly metrics: MetricsRegistry;
  notReady(): string | undefined;
}

function pageSources(title: string, shown: ShownPart, { client, metrics, notReady }: PageFacts): PageSources {
  return {
    title,
    *informers() {
      for (const informer of shown.informers?.informers.values() ?? []) yield { cluster: "", informer };
    },
    loops: () => shown.controllers?.loops ?? [],
    journal: () => shown.controllers?.journal,
    metrics,
    client: () => client,
    problems: () => [notReady() ?? []].flat(),
    leadership: () => shown.elector && leadershipOf(shown.elector),
  };
}

async function leading(part: Part, shown: ShownPart, surroundings: PartSurroundings): Promise<void> {
  const { client, metrics, log, signal, say } = surroundings;
  const lease = typeof part.lease === "string" ? { namespace: "kube-system", name: part.lease } : part.lease;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const elector = new LeaderElector({
    lease,
    leases: leaseClient(client, lease),
    ...part.times,
    log,
    metrics,
    callbacks: {
      onNewLeader: (identity) => {
        if (identity !== "" && identity !== elector.identity) say(`waiting: ${identity} leads`);
      },
      onStartedLeading: (term) =>
        part.run({ ...surroundings, signal: term.signal }).catch((error: unknown) => {
          if (!term.signal.aborted) fail(error);
        }),
    },
  });
  shown.elector = elector;
  await using running = elector.start(signal);
  await abortable(Promise.race([running.done, failed]), signal);
}
