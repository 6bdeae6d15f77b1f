/** The world before any history: a cluster with the asked parts, prepared by the user's `setup`, to be forked for each history. */
import { builtInControllers, selectControllers } from "../../../builtin/index.js";
import { FakeClock, seededRandom } from "../../../base/index.js";
import { startCluster, type TestCluster } from "../../cluster.js";
import type { KnownForms } from "../end-state.js";
import type { SimulateOptions } from "../options.js";
import { Passing } from "./passing.js";

export interface World extends Pick<TestCluster<FakeClock>, "fork">, AsyncDisposable {
  /** The normal forms of the objects that all histories begin with. */
  readonly forms: KnownForms;
  /** The names of the built-in controllers that run in it. */
  readonly running: ReadonlySet<string>;
}

/** The time in which controllers and nodes do their work of the beginning: nodes become ready, accounts are made. */
const restMs = 60_000;

type Controllers = NonNullable<NonNullable<SimulateOptions["world"]>["controllers"]>;

const collector = "garbage-collector-controller";

/** The controllers whose objects outlive an owner until the collector takes them, and work on as long. */
const makers = new Set([
  "deployment-controller",
  "replicaset-controller",
  "replicationcontroller-controller",
  "daemonset-controller",
  "statefulset-controller",
  "job-controller",
  "cronjob-controller",
  "endpointslice-controller",
  "endpointslice-mirroring-controller",
  "ephemeral-volume-controller",
  "resourceclaim-controller",
]);

function namesOf(controllers: Controllers): readonly string[] {
  const chosen = controllers.filter((one) => typeof one === "string");
  const own = controllers.filter((one) => typeof one !== "string");
  return [...selectControllers(chosen, builtInControllers), ...own].map(({ name }) => name);
}

/**
 * With the collector, if one of them makes objects for others: the ReplicaSet of a Deployment that is gone would go on
 * making pods, whatever the operator does. The first word about a controller wins, so that `-garbagecollector` holds.
 */
const withCollector = (controllers: Controllers): Controllers =>
  namesOf(controllers).some((name) => makers.has(name)) ? [...controllers, collector] : controllers;

/** The same options give the same world. Disposing it ends no fork. */
export async function prepareWorld({ world = {}, setup }: Pick<SimulateOptions, "world" | "setup">): Promise<World> {
  const random = seededRandom("world");
  const controllers = withCollector(world.controllers ?? []);
  const cluster = await startCluster({ ...world, controllers, clock: new FakeClock(), random: random.fork("cluster") });
  const { client, clock } = cluster;
  const passing = new Passing(clock);
  try {
    const sleep = (ms: number): Promise<void> => clock.sleep(ms, new AbortController().signal);
    await passing.until(setup?.({ client, clock, random: random.fork("setup"), sleep }) ?? Promise.resolve());
    if (controllers.length + (world.nodes ?? 0) > 0) await passing.pass(restMs);
    return {
      forms: new WeakMap(),
      running: new Set(namesOf(controllers)),
      fork: (options) => cluster.fork(options),
      [Symbol.asyncDispose]: () => cluster.close(),
    };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
