/** Runs a set of controllers over shared informers: registers all, fills the caches, then starts them. */
import { defined } from "../../base/defined.js";
import {
  type Clock,
  type Logger,
  MetricsRegistry,
  type Random,
  runTogether,
  silentLogger,
  systemClock,
  systemRandom,
} from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { type ControllerSnapshot, Journal, type KeyLoop } from "../../controller/index.js";
import { SharedInformerFactory } from "../../informer/index.js";
import type {
  ClusterCredentials,
  ControllerContext,
  ControllerDescriptor,
  PolicyWarnings,
  Recorder,
} from "./context.js";
import { runController } from "./loops.js";

/** The controllers at work, for people. */
export interface RunningControllers {
  readonly names: readonly string[];
  /** The latest runs of each key, with their reasons and outcomes. */
  readonly journal: Journal;
  /** The state of each controller's loops as it is now. */
  snapshots(): readonly ControllerSnapshot[];
  /** The loops themselves, for their figures and keys. */
  readonly loops: readonly Pick<KeyLoop, "name" | "figures" | "keys">[];
}

export interface RunControllersOptions {
  readonly client: Client;
  readonly controllers: readonly ControllerDescriptor[];
  readonly signal: AbortSignal;
  /**
   * Informers to share with other parts of this process. Informers that are not started yet are started; the factory's
   * creator shuts it down.
   */
  readonly informers?: SharedInformerFactory;
  /** Watches only this namespace; by default all of them. */
  readonly namespace?: string;
  /** True if the client's server is the only one, and acts on each write before it answers, as the embedded one does. */
  readonly oneServer?: boolean;
  readonly credentials?: ClusterCredentials;
  /**
   * Checks the expressions of policies, e.g. `policyWarnings` of `coxswain/apiserver`. Without it, policies' statuses say
   * nothing of types.
   */
  readonly policyWarnings?: PolicyWarnings;
  recorderFor?(component: string): Recorder;
  /** The number of keys that a controller works on at once, by its name or a short name. */
  readonly workers?: ReadonlyMap<string, number>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  /** The journal of all runs; a new one by default. */
  readonly journal?: Journal;
  /** Called once, when all caches are filled and the controllers begin. */
  onStarted?(running: RunningControllers): void;
}

/** Runs until the signal aborts; resolves when every controller and every informer has ended. */
export async function runControllers(options: RunControllersOptions): Promise<void> {
  const { client, signal, clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const metrics = options.metrics ?? new MetricsRegistry();
  const informers =
    options.informers ??
    new SharedInformerFactory(client, {
      clock,
      random,
      logger: log,
      metrics,
      ...defined({ namespace: options.namespace }),
    });
  const journal = options.journal ?? new Journal();
  const context: ControllerContext = {
    client,
    informers,
    journal,
    credentials: options.credentials ?? {},
    recorderFor: options.recorderFor ?? (() => silentRecorder),
    ...defined({ oneServer: options.oneServer, policyWarnings: options.policyWarnings }),
    clock,
    random,
    log,
    metrics,
  };
  const made = options.controllers.map((one) => {
    const workers = [one.name, ...one.aliases].map((name) => options.workers?.get(name)).find((count) => count);
    return { name: one.name, controller: one.create(workers === undefined ? context : { ...context, workers }) };
  });
  const running = made.flatMap(({ name, controller }) => (controller === undefined ? [] : [{ name, controller }]));
  const controllers = running.map(({ controller }) => controller);
  const started = informers.start({ signal });
  await using _informers = options.informers === undefined ? started : { [Symbol.asyncDispose]: async () => {} };
  await informers.waitForCacheSync({ signal });
  const loops = controllers.flatMap((controller) => controller.loops);
  options.onStarted?.({
    names: running.map(({ name }) => name),
    journal,
    loops,
    snapshots: () => loops.map((loop) => loop.snapshot()),
  });
  await runTogether(
    controllers.map((controller) => (ending) => runController(controller, ending)),
    signal,
  );
}

const silentRecorder: Recorder = { normal: () => {}, warning: () => {} };
