/** Clusters in the test's process: no sockets, milliseconds to start, on a clock that the test may own. */
import {
  type ApiServer,
  type ApiServerOptions,
  deviceSelector,
  policyWarnings,
  type MetricValues,
  startApiServer,
} from "../apiserver/index.js";
import type { KubeObject } from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  checkOptions,
  type Clock,
  FakeClock,
  Lifetime,
  type OptionRule,
  type Random,
  seededRandom,
  settledOn,
  shown,
  startRunning,
  systemClock,
  systemRandom,
} from "../base/index.js";
import { Client, type FaultPlan, faultyTransport } from "../client/index.js";
import { emptyCollectionsOf } from "./empty-collections.js";
import { builtInControllers, type ControllerDescriptor, runControllers, selectControllers } from "../builtin/index.js";
import { ensureSimulatedStorage } from "../builtin/simulated-storage/provisioner.js";
import { SharedInformerFactory } from "../informer/index.js";
import { type BehaviourRule, simulatedUsage, startSimulatedNodes } from "../machines/index.js";
import { startScheduler } from "../scheduler/index.js";

export interface TestServerOptions extends ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
}

/** An API server alone. Stored objects are frozen, so that code that modifies one fails at once. */
export function startTestServer(options: TestServerOptions = {}): Promise<ApiServer> {
  return startApiServer({ freeze: true, ...options });
}

export interface ClusterOptions<C extends Clock> {
  /** `"virtual"` makes a FakeClock: time then passes only when the test calls `cluster.clock.advance(ms)`. */
  readonly clock?: C | "virtual";
  /** Default: a fixed seed on a FakeClock, the system's randomness on other clocks. */
  readonly random?: Random;
  /**
   * The controllers to run: as `--controllers` takes them (names, short names, `*`, `-name`), or ones of your own. None
   * by default.
   */
  readonly controllers?: readonly (string | ControllerDescriptor)[];
  /** The number of simulated nodes. With any, a scheduler runs too. */
  readonly nodes?: number;
  /** The number of devices of each node, for claims of the class `simulated`; claims need the resourceclaim-controller. */
  readonly devices?: number;
  /** Decide the behaviour of simulated containers, before their annotations. */
  readonly rules?: readonly BehaviourRule[];
  /** Metrics of objects and from outside the cluster. The usage of simulated nodes and pods is served in any case. */
  readonly metricValues?: MetricValues;
  /** Faults in the requests of controllers, scheduler and nodes; the test's own client has none. */
  readonly faults?: FaultPlan;
  /** True if controllers may rely on this being the only server, as under `coxswain up`. False by default. */
  readonly oneServer?: boolean;
}

export interface ClusterForkOptions<C extends Clock> {
  /** By default a FakeClock of its own with the same time, or the same clock if time is not virtual. */
  readonly clock?: C;
  /** By default a chance of its own, the same for each fork. */
  readonly random?: Random;
}

export interface TestCluster<C extends Clock = Clock> extends AsyncDisposable {
  readonly server: ApiServer;
  /** A client with the administrator's rights, straight into the server. */
  readonly client: Client;
  readonly clock: C;
  /** The events that the controllers recorded: `Kind name Reason message`. */
  readonly events: readonly string[];
  /**
   * A cluster of its own with the same objects, revisions, history and kinds; writes to either are not seen in the
   * other. The server's part takes well under a millisecond, whatever the number of objects. Controllers, scheduler and
   * nodes start anew from the stored objects, and watches are not taken along.
   */
  fork(options?: ClusterForkOptions<C>): Promise<TestCluster<C>>;
  /** The same as disposing, for tests without `await using`. */
  close(): Promise<void>;
}

/** Starts a server with the requested parts; resolves when all of them work. Disposing stops it and waits. */
export async function startCluster(
  options: ClusterOptions<FakeClock> & { readonly clock: "virtual" },
): Promise<TestCluster<FakeClock>>;
export async function startCluster<C extends Clock = Clock>(options?: ClusterOptions<C>): Promise<TestCluster<C>>;
export async function startCluster(options: ClusterOptions<Clock> = {}): Promise<TestCluster> {
  checkClusterOptions(options);
  const clock = options.clock === "virtual" ? new FakeClock() : (options.clock ?? systemClock);
  const random = options.random ?? (clock instanceof FakeClock ? seededRandom(1) : systemRandom);
  const usage = simulatedUsage({ rules: options.rules ?? [], seed: random.fork("usage").int(2 ** 31) });
  const { metricValues } = options;
  const server = await startTestServer({ clock, random, usage, ...defined({ metricValues }) });
  return await clusterOn(server, { ...options, clock, random });
}

interface ClusterSettings extends Omit<ClusterOptions<Clock>, "clock"> {
  readonly clock: Clock;
  readonly random: Random;
}

/** The server is closed with the cluster, also if a part does not start. */
async function clusterOn(server: ApiServer, settings: ClusterSettings): Promise<TestCluster> {
  const { clock, random, faults } = settings;
  const lifetime = new Lifetime();
  try {
    lifetime.use(server);
    const client = lifetime.use(new Client({ transport: server.transport(), clock, random, freezeCaches: true }));
    const direct = server.transport();
    const transport = faults ? faultyTransport(direct, { plan: faults, clock }) : direct;
    // an error of a part is not one of the test's lines
    const calls = { freezeCaches: true, rememberCalls: false, leanAnswers: true };
    const emptyCollection = faults ? undefined : emptyCollectionsOf(server);
    const partsClient = lifetime.use(
      new Client({ transport, clock, random, ...calls, ...defined({ emptyCollection }) }),
    );
    const events = await startParts({ ...settings, client: partsClient, administrator: client }, lifetime);
    const close = (): Promise<void> => settledOn(clock, lifetime[Symbol.asyncDispose]());
    return {
      server,
      client,
      clock,
      events,
      fork(options = {}) {
        const own = { clock: options.clock ?? likewise(clock), random: options.random ?? random.fork("fork") };
        return clusterOn(server.fork(own), { ...settings, ...own });
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    // the parts that failed fail again when they are stopped: the first error says more
    await settledOn(clock, lifetime[Symbol.asyncDispose]()).catch(() => {});
    throw error;
  }
}

/** A clock for a fork: of virtual time, one of its own that shows the same time. */
function likewise(clock: Clock): Clock {
  return clock instanceof FakeClock ? new FakeClock({ startMs: clock.now() }) : clock;
}

const rules = {
  clock: "object",
  random: "object",
  controllers: "list",
  nodes: { whole: true },
  devices: { whole: true },
  rules: "list",
  metricValues: "object",
  faults: "function",
  oneServer: "boolean",
} as const satisfies Record<keyof ClusterOptions<Clock>, OptionRule>;

function checkClusterOptions({ clock, ...options }: ClusterOptions<Clock>): void {
  if (typeof clock === "string" && clock !== "virtual")
    throw new TypeError(`startCluster: clock must be a Clock or "virtual", not ${shown(clock)}`);
  checkOptions(clock === "virtual" ? options : { clock, ...options }, { of: "startCluster", rules });
}

interface PartsOptions extends ClusterSettings {
  readonly client: Client;
  /** A client without faults. */
  readonly administrator: Client;
}

/** Gives the list to which the controllers' events are appended. */
async function startParts(options: PartsOptions, lifetime: Lifetime): Promise<readonly string[]> {
  const { client, clock, random, nodes = 0, devices = 0, rules = [], oneServer = false } = options;
  const informers = new SharedInformerFactory(client, { clock, random });
  lifetime.defer(() => informers.shutdown());
  const shared = { client, informers, clock, random };
  const events: string[] = [];
  const note = (object: KubeObject, reason: string, message: string): unknown =>
    events.push(`${object.kind} ${object.metadata.name} ${reason} ${message}`);
  const recorderFor = () => ({ normal: note, warning: note });
  const asked = options.controllers ?? [];
  const controllers = [
    ...selectControllers(
      asked.filter((one) => typeof one === "string"),
      builtInControllers,
    ),
    ...asked.filter((one) => typeof one !== "string"),
  ];
  const runs = (name: string): boolean => controllers.some((one) => one.name === name);
  const attachRequired = runs("persistentvolume-attach-detach-controller");
  if (runs("simulated-volume-provisioner")) await ensureSimulatedStorage(options.administrator, { attachRequired });
  const ignoresVolumes = !runs("persistentvolume-binder-controller");
  const untaint = !runs("node-lifecycle-controller");
  const claims = runs("resourceclaim-controller") ? { deviceSelector } : {};
  const parts =
    nodes === 0
      ? []
      : [
          lifetime.use(startSimulatedNodes({ ...shared, nodes, devices, rules, untaint })),
          lifetime.use(startScheduler({ ...shared, ignoresVolumes, ...claims })),
        ];
  const begun = new Promise<void>((resolve, reject) => {
    const running = startRunning((signal) =>
      runControllers({
        ...shared,
        controllers,
        oneServer,
        policyWarnings,
        signal,
        recorderFor,
        onStarted: () => resolve(),
      }),
    );
    running.done.catch(reject);
    lifetime.use(running);
  });
  await withTime(Promise.all([begun, ...parts.map((part) => part.started)]), clock);
  return events;
}

/**
 * Waits for the start. On a FakeClock, lets time pass for parts that wait before they work, such as a retry after a
 * failed first request.
 */
async function withTime(started: Promise<unknown>, clock: Clock): Promise<void> {
  if (!(clock instanceof FakeClock)) {
    await started;
    return;
  }
  let waiting = true;
  const done = started.finally(() => {
    waiting = false;
  });
  done.catch(() => {});
  for (let turn = 0; waiting; turn++) await (turn < 200 ? clock.advance(0) : clock.advance(100));
  await done;
}
