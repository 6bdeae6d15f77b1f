/** Everything of a control plane but its server: controllers, scheduler and simulated nodes, over one set of caches. */
import { type ApiServer, deviceSelector, policyWarnings } from "../apiserver/index.js";
import { defined } from "../base/defined.js";
import {
  Lifetime,
  type Logger,
  type MetricsRegistry,
  type Running,
  startRunning,
  systemClock,
  TokenBucket,
} from "../base/index.js";
import { Client, type RateLimiter } from "../client/index.js";
import {
  type ClusterCredentials,
  type ControllerDescriptor,
  runControllers,
  type RunningControllers,
} from "../builtin/index.js";
import { ensureSimulatedStorage } from "../builtin/simulated-storage/provisioner.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../controller/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { type SimulatedNodes, startSimulatedNodes } from "../machines/index.js";
import { type SchedulerConfiguration, startScheduler } from "../scheduler/index.js";

/** Events are the least urgent writes: this share of the server is theirs, however many there are. */
const eventRate = { ratePerSecond: 200, burst: 200 };

/**
 * The rest of a share that is used up: the part that has come back meanwhile is used at once. A request by itself
 * finds its code and data cold, and costs half as much again as one of forty.
 */
const eventRestMs = 200;

function eventShare(): RateLimiter {
  const share = new TokenBucket(eventRate);
  return {
    async take(signal) {
      while (!share.tryTake()) await systemClock.sleep(eventRestMs, signal);
    },
  };
}

export interface PartsOptions {
  readonly controllers: readonly ControllerDescriptor[];
  /** The number of objects that a controller works on at once, by the controller's name. */
  readonly concurrency?: ReadonlyMap<string, number>;
  readonly nodes: number;
  /** The number of devices of each node; 0 by default. */
  readonly devices?: number;
  /** Whether the nodes wait for the simulated cloud; false by default. */
  readonly cloud?: boolean;
  readonly speed: number;
  readonly followCommands?: boolean;
  readonly scheduler: boolean;
  readonly schedulerConfig?: SchedulerConfiguration;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  /** The server's credentials that some controllers hand out. */
  readonly credentials: ClusterCredentials;
}

export interface Parts extends AsyncDisposable {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  /** The built-in controllers at work. */
  readonly controllers: RunningControllers;
  readonly dialPod: SimulatedNodes["dialPod"];
  /** Settles when one of the parts ends; rejects if it failed. */
  readonly done: Promise<void>;
}

/** Resolves once the caches are filled and everything works. Disposing stops the parts in reverse order. */
export async function startParts(server: ApiServer, options: PartsOptions, signal: AbortSignal): Promise<Parts> {
  const lifetime = new Lifetime();
  try {
    return await start(server, options, { lifetime, signal });
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    throw error;
  }
}

async function start(
  server: ApiServer,
  {
    metrics,
    log,
    nodes,
    devices = 0,
    cloud = false,
    speed,
    followCommands = false,
    credentials,
    ...options
  }: PartsOptions,
  { lifetime, signal }: { readonly lifetime: Lifetime; readonly signal: AbortSignal },
): Promise<Parts> {
  const names = { fieldManager: "coxswain", userAgent: "coxswain" };
  const clientOptions = { transport: server.transport(), leanAnswers: true, ...names };
  const client = lifetime.use(new Client(clientOptions));
  const eventClient = new Client({ ...clientOptions, rateLimit: eventShare() });
  const events = new EventBroadcaster({ log, metrics, queueLimit: 20_000, flushMs: 1_000 });
  lifetime.use(events.startRecordingToSink(coreCorrelation(coreEventSink(eventClient))));
  const informers = new SharedInformerFactory(client, { logger: log, metrics });
  lifetime.defer(() => informers.shutdown());
  const shared = { client, eventClient, informers, metrics, log };
  const runs = (name: string): boolean => options.controllers.some((one) => one.name === name);
  const untaint = !runs("node-lifecycle-controller");
  const kubeletPorts = { clientAuthority: server.authority().certificate };
  const played = { ...shared, nodes, devices, cloud, speed, followCommands, untaint, kubeletPorts };
  const simulated = lifetime.use(startSimulatedNodes(played, signal));
  const { schedulerConfig: configuration } = options;
  const scheduler = options.scheduler
    ? [lifetime.use(startScheduler({ ...shared, deviceSelector, ...defined({ configuration }) }, signal))]
    : [];
  let begun: (running: RunningControllers) => void = () => {};
  const started = new Promise<RunningControllers>((begin) => {
    begun = begin;
  });
  const controllers = lifetime.use(
    startRunning(
      (ending) =>
        runControllers({
          ...shared,
          controllers: options.controllers,
          credentials,
          oneServer: true,
          policyWarnings,
          ...defined({ workers: options.concurrency }),
          recorderFor: (component) => events.newRecorder({ component }),
          signal: ending,
          onStarted: (running) => begun(running),
        }),
      signal,
    ),
  );
  const atWork = await Promise.race([started, controllers.done]);
  if (atWork === undefined) throw new Error("the controllers ended before they began");
  const attachRequired = runs("persistentvolume-attach-detach-controller");
  if (runs("simulated-volume-provisioner")) await ensureSimulatedStorage(client, { attachRequired, signal });
  await Promise.all([simulated, ...scheduler].map((part) => part.started));
  const running: readonly Running[] = [controllers, simulated, ...scheduler];
  return {
    client,
    informers,
    controllers: atWork,
    dialPod: (host, port) => simulated.dialPod(host, port),
    done: Promise.race(running.map(({ done }) => done)),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
