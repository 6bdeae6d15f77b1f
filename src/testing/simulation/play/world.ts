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

/** The time in which controllers and nodes do what they do once: nodes become ready, accounts are made. */
const restMs = 60_000;

function runningIn({ controllers = [] }: NonNullable<SimulateOptions["world"]>): readonly string[] {
  const chosen = controllers.filter((one) => typeof one === "string");
  const own = controllers.filter((one) => typeof one !== "string");
  return [...selectControllers(chosen, builtInControllers), ...own].map(({ name }) => name);
}

/** The same options give the same world. Disposing it ends no fork. */
export async function prepareWorld({ world = {}, setup }: Pick<SimulateOptions, "world" | "setup">): Promise<World> {
  const random = seededRandom("world");
  const cluster = await startCluster({ ...world, clock: new FakeClock(), random: random.fork("cluster") });
  const { client, clock } = cluster;
  const passing = new Passing(clock);
  try {
    const sleep = (ms: number): Promise<void> => clock.sleep(ms, new AbortController().signal);
    await passing.until(setup?.({ client, clock, random: random.fork("setup"), sleep }) ?? Promise.resolve());
    if ((world.controllers?.length ?? 0) + (world.nodes ?? 0) > 0) await passing.pass(restMs);
    return {
      forms: new WeakMap(),
      running: new Set(runningIn(world)),
      fork: (options) => cluster.fork(options),
      [Symbol.asyncDispose]: () => cluster.close(),
    };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
