/** Clusters in this process for tests: no sockets, milliseconds to start, on a clock that the test may own. */
import { type ApiServer, type ApiServerOptions, startApiServer as start } from "../apiserver/index.js";
import type { KubeObject } from "../api/index.js";
import {
  type Clock,
  FakeClock,
  Lifetime,
  type Random,
  startRunning,
  systemClock,
  systemRandom,
} from "../base/index.js";
import { Client } from "../client/index.js";
import { builtInControllers, runControllers, selectControllers } from "../controllers/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { startScheduler, startSimulatedNodes } from "../node/index.js";

export interface TestServerOptions extends ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
}

/** An API server alone. Stored objects are frozen, so that whoever modifies one is found. */
export function startApiServer(options: TestServerOptions = {}): Promise<ApiServer> {
  return start({ freeze: true, ...options });
}

export interface ClusterOptions<C extends Clock> {
  /** `"virtual"` makes a FakeClock: then time passes only when the test says `cluster.clock.advance(ms)`. */
  readonly clock?: C | "virtual";
  readonly random?: Random;
  /** Which built-in controllers run, as `--controllers` takes them: names, short names, `*`, `-name`. None by default. */
  readonly controllers?: readonly string[];
  /** How many simulated nodes there are. With any, there is a scheduler too. */
  readonly nodes?: number;
}

export interface TestCluster<C extends Clock = Clock> extends AsyncDisposable {
  readonly server: ApiServer;
  /** As the administrator, straight into the server. */
  readonly client: Client;
  readonly clock: C;
  /** What the controllers recorded: `Kind name Reason message`. */
  readonly events: readonly string[];
}

/** A server with what was asked for; resolves when all of it works. Disposing stops it and waits. */
export async function startCluster(
  options: ClusterOptions<FakeClock> & { readonly clock: "virtual" },
): Promise<TestCluster<FakeClock>>;
export async function startCluster<C extends Clock = Clock>(options?: ClusterOptions<C>): Promise<TestCluster<C>>;
export async function startCluster(options: ClusterOptions<Clock> = {}): Promise<TestCluster> {
  const clock = options.clock === "virtual" ? new FakeClock() : (options.clock ?? systemClock);
  const { random = systemRandom, nodes = 0 } = options;
  const lifetime = new Lifetime();
  try {
    const server = lifetime.use(await startApiServer({ clock, random }));
    const client = lifetime.use(new Client({ transport: server.transport(), clock, random }));
    const informers = new SharedInformerFactory(client, { clock, random });
    lifetime.defer(() => informers.shutdown());
    const shared = { client, informers, clock, random };
    const events: string[] = [];
    const note = (object: KubeObject, reason: string, message: string): unknown =>
      events.push(`${object.kind} ${object.metadata.name} ${reason} ${message}`);
    const controllers = selectControllers(options.controllers ?? [], builtInControllers);
    const untaint = !controllers.some(({ name }) => name === "node-lifecycle-controller");
    const parts =
      nodes === 0
        ? []
        : [lifetime.use(startSimulatedNodes({ ...shared, nodes, untaint })), lifetime.use(startScheduler(shared))];
    await new Promise<void>((resolve, reject) => {
      const recorderFor = () => ({ normal: note, warning: note });
      const running = startRunning((signal) =>
        runControllers({ ...shared, controllers, signal, oneServer: true, recorderFor, onStarted: () => resolve() }),
      );
      running.done.catch(reject);
      lifetime.use(running);
    });
    await Promise.all(parts.map((part) => part.started));
    return { server, client, clock, events, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    throw error;
  }
}
