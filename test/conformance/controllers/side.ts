/**
 * One side of the comparison: an API server with our scheduler and simulated nodes, and either our controllers or the
 * real kube-controller-manager.
 */
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Node } from "../../../src/api/index.js";
import { policyWarnings } from "../../../src/apiserver/index.js";
import { abortable, createLogger, Lifetime, silentLogger, startRunning } from "../../../src/base/index.js";
import { type Client, connect } from "../../../src/client/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../../../src/controller/index.js";
import { builtInControllers, nodeIpam, runControllers } from "../../../src/builtin/index.js";
import { SharedInformerFactory } from "../../../src/informer/index.js";
import { podNetwork } from "../../../src/machines/addresses.js";
import { startSimulatedNodes } from "../../../src/machines/index.js";
import { startScheduler } from "../../../src/scheduler/index.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import { deadline } from "./deadline.js";
import { Observer } from "./observer.js";
import { embeddedServer, realServer, type ServerFiles } from "./server.js";

export interface SideParts {
  readonly server: "real" | "embedded";
  readonly controllers: "real" | "ours";
}

export interface Side extends AsyncDisposable {
  readonly client: Client;
  readonly observer: Observer;
  /** Aborted when the controllers have ended, because nothing more will happen then. */
  readonly ended: AbortSignal;
}

/** Three nodes for all scenarios; the others are tainted, and each belongs to one scenario that changes nodes. */
const commonNodes = 3;
const ownNodes = ["daemons", "evictions", "losses", "orphans", "taints", "surges", "corners", "volumes"] as const;
export type OwnNode = (typeof ownNodes)[number];

/** Four nodes without ranges of their own use up the second one. */
const clusterCidrs = [podNetwork, "fd00:10:244::/62"];
const ipam = nodeIpam({ clusterCidrs });
const controllers = builtInControllers.map((one) => (one.name === ipam.name ? ipam : one));

const startTimeoutMs = 300_000;

export async function startSide(parts: SideParts, assets: string): Promise<Side> {
  const lifetime = new Lifetime();
  using limit = deadline(
    startTimeoutMs,
    `a side with ${parts.controllers} controllers on a ${parts.server} server does not start`,
  );
  try {
    const server = lifetime.use(await (parts.server === "real" ? realServer(assets) : embeddedServer()));
    const { kubeconfig } = server;
    const client = lifetime.use(await connect({ kubeconfig, userAgent: "script", fieldManager: "script" }));
    const machinery = lifetime.use(await connect({ kubeconfig, userAgent: "nodes" }));
    const informers = new SharedInformerFactory(machinery);
    lifetime.defer(() => informers.shutdown());
    const shared = { client: machinery, informers };
    const nodes = lifetime.use(startSimulatedNodes({ ...shared, nodes: commonNodes + 2 * ownNodes.length }));
    // there is no storage on either side
    const scheduler = lifetime.use(startScheduler({ ...shared, ignoresVolumes: true }));
    const ended =
      parts.controllers === "real"
        ? startRealControllers(server, assets, lifetime)
        : await abortable(startOurControllers(server, lifetime), limit.signal);
    // starts the informers of nodes and scheduler
    lifetime.use(startRunning((signal) => runControllers({ ...shared, controllers: [], signal })));
    await abortable(Promise.all([nodes.started, scheduler.started]), limit.signal);
    await ownNodesApart(client);
    const observer = lifetime.use(await Observer.start(client, limit.signal));
    return { client, observer, ended, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    throw error;
  }
}

async function startOurControllers(server: ServerFiles, lifetime: Lifetime): Promise<AbortSignal> {
  const { kubeconfig } = server;
  const [tokenKey, ca] = await Promise.all([readFile(server.tokenKey, "utf8"), readFile(server.ca, "utf8")]);
  const client = lifetime.use(await connect({ kubeconfig, userAgent: "controllers" }));
  // one writer for each component, as the real ones have: behind a shared one, events would come late when many
  // scenarios run
  const recorderFor = (component: string) => {
    const events = new EventBroadcaster({ queueLimit: 20_000 });
    lifetime.use(events.startRecordingToSink(coreCorrelation(coreEventSink(client))));
    return events.newRecorder({ component });
  };
  const out = process.env["CONTROLLER_OUT"];
  const log =
    out === undefined ? silentLogger : createLogger({ write: (line) => appendFileSync(join(out, "ours.log"), line) });
  const ended = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const running = startRunning((signal) =>
      runControllers({
        client,
        log,
        controllers,
        credentials: { ca, tokenKey },
        policyWarnings,
        recorderFor,
        signal,
        onStarted: () => resolve(),
      }),
    );
    running.done.catch((error: unknown) => {
      ended.abort(error);
      reject(error);
    });
    lifetime.use(running);
  });
  return ended.signal;
}

function startRealControllers(server: ServerFiles, assets: string, lifetime: Lifetime): AbortSignal {
  const { kubeconfig, directory } = server;
  const same = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  const manager = lifetime.use(
    startGuarded(join(assets, "kube-controller-manager"), {
      args: [
        ...same.map((flag) => `--${flag}=${kubeconfig}`),
        "--leader-elect=false",
        "--secure-port=0",
        `--service-account-private-key-file=${server.tokenKey}`,
        `--root-ca-file=${server.ca}`,
        `--cert-dir=${directory}`,
        "--allocate-node-cidrs",
        `--cluster-cidr=${clusterCidrs.join()}`,
        // the default limits would only make one side slower
        "--kube-api-qps=1000",
        "--kube-api-burst=1000",
      ],
      logFile: join(directory, "kube-controller-manager.log"),
    }),
  );
  const ended = new AbortController();
  void manager.exited.then(() => ended.abort(new Error(`the kube-controller-manager ended: ${manager.tail()}`)));
  return ended.signal;
}

/** Two nodes for each: labelled and tainted with its name. */
async function ownNodesApart(client: Client): Promise<void> {
  const nodes = client.resource(Node);
  let index = commonNodes;
  for (const owner of ownNodes) {
    for (let copy = 0; copy < 2; copy++) {
      index += 1;
      const taints = [{ key: "own", value: owner, effect: "NoSchedule" }];
      await nodes.patch(`node-${index}`, { strategic: { metadata: { labels: { own: owner } }, spec: { taints } } });
    }
  }
}
