/**
 * One history: a world, an operator, a scenario and a plan, played from the start to the rest. Takes options and a
 * plan; gives the history that oracles judge.
 */
import { CustomResourceDefinition, type KubeObject } from "../../../api/index.js";
import { type FakeClock, Lifetime, messageOf, type Random, seededRandom } from "../../../base/index.js";
import { Client } from "../../../client/index.js";
import type { TestCluster } from "../../cluster.js";
import { Director } from "./director.js";
import {
  type Chance,
  type EndState,
  endStateOf,
  isSameState,
  sameBut,
  settledWithout,
  withoutChance,
} from "../end-state.js";
import { Watching } from "./watching.js";
import { placeNamed, type Rest } from "../fault.js";
import { asksIn } from "../faults/asking.js";
import { type History, isOperatorLease, isOperatorWrite } from "../history.js";
import type { ScenarioTools, SimulateOptions } from "../options.js";
import type { Plan } from "../plan.js";
import { Passing } from "./passing.js";
import { Replica } from "./process.js";
import { type Entry, HistoryRecord } from "../record.js";
import { recorded } from "./recorded.js";
import { longestWayMs } from "./wire.js";
import type { World } from "./world.js";

const defaultSettleMs = 30 * 60_000;
/** The world is at rest if the operator has not written for this long, and waits for nothing. */
const quietMs = 90_000;
/** The history without faults is played on for longer: the acts of an operator after a wait belong to its end. */
const referenceQuietMs = 10 * 60_000;
/** The time in which the operator starts before the scenario begins. */
const leadMs = 1_000;
/** The time in which a process that was started at rest may write something. */
const restMs = 30_000;
/** Of this many histories that end as they should, one is looked at by a new process. */
const anewEvery = 8;

/** The options with their defaults for faults and oracles. */
export type PlayOptions = SimulateOptions & Required<Pick<SimulateOptions, "faults" | "oracles">>;

/**
 * Plays one history in a fork of the prepared world. The same options, plan, operator and world give the same history,
 * entry by entry.
 */
export async function playHistory(
  options: PlayOptions,
  world: World,
  { plan, reference, chance = new Map(), draws = "" }: Played,
): Promise<History> {
  const random = seededRandom(`history ${plan.seed}`);
  options.reset?.();
  await using lifetime = new Lifetime();
  const cluster = await world.fork({ random: random.fork("cluster") });
  const { clock } = cluster;
  lifetime.defer(() => new Passing(clock).until(cluster.close()));
  return await new Play({ options, plan, clock, random, cluster, world, reference, chance, draws }).run(lifetime);
}

export interface Played {
  readonly plan: Plan;
  /** The end state of the history without faults; a history that reaches it is at rest sooner. */
  readonly reference?: EndState | undefined;
  /** The values that the operator draws by chance. */
  readonly chance?: Chance;
  /** Gives the operator other random numbers, and changes nothing else. */
  readonly draws?: string;
}

interface Settled {
  /** True if the operator came to rest within the time. */
  readonly rested: boolean;
  /** The end state, if something has been tried since. */
  readonly end?: EndState;
}

interface PlayParts {
  readonly options: PlayOptions;
  readonly plan: Plan;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly cluster: TestCluster<FakeClock>;
  readonly world: World;
  readonly reference: EndState | undefined;
  readonly chance: Chance;
  readonly draws: string;
}

/** The cluster's state at a revision, and whether it is the end of the history without faults. */
interface Look {
  readonly revision: number;
  readonly end: EndState;
  readonly isReference: boolean;
}

class Play {
  readonly #parts: PlayParts;
  readonly #record: HistoryRecord;
  readonly #director: Director;
  readonly #replicas: readonly Replica[];
  readonly #watching: Watching;
  readonly #passing: Passing;
  readonly #startMs: number;
  #beganMs: number;
  #seen: Look | undefined;

  constructor(parts: PlayParts) {
    const { options, plan, clock, random, cluster, world, draws } = parts;
    this.#parts = parts;
    this.#startMs = clock.monotonic();
    // the record counts from the beginning of the scenario; the start of the operator comes before it
    this.#beganMs = this.#startMs + leadMs;
    this.#record = new HistoryRecord(() => clock.monotonic() - this.#beganMs);
    const { running } = world;
    const { server } = cluster;
    this.#director = new Director({
      plan,
      clock,
      record: this.#record,
      server,
      kinds: options.faults,
      running,
      isSame: sameBut(options.ignore ?? []),
      settled: () => this.#settled(),
    });
    this.#replicas = Array.from(
      { length: options.replicas ?? 1 },
      (_, replica) =>
        new Replica({
          replica,
          operator: options.operator,
          transport: cluster.server.transport(),
          clock,
          random,
          draws,
          record: this.#record,
          wireHost: (kill) => this.#director.wireHost({ replica, kill, random: random.fork(`wire ${replica}`) }),
        }),
    );
    this.#director.bind(this.#replicas);
    // the kinds that the set-up has installed are asked for, too
    for (const object of this.#objects())
      if (object.kind === CustomResourceDefinition.kind) this.#director.asked.push(placeNamed(object));
    this.#watching = new Watching(options.oracles, cluster.server.store);
    this.#passing = new Passing(clock, () => this.#watching.see(this.#record.nowMs));
  }

  async run(lifetime: Lifetime): Promise<History> {
    const { options, clock, random } = this.#parts;
    const unhandled = lifetime.use(rejections());
    lifetime.defer(async () => {
      await this.#passing.until(Promise.all([...this.#replicas.map((one) => one.close()), this.#director.close()]));
      await this.#passing.pass(longestWayMs);
    });
    const client = lifetime.use(this.#clientFor("scenario"));
    const tools: ScenarioTools = {
      client,
      clock,
      random: random.fork("scenario"),
      sleep: (ms) => clock.sleep(ms, new AbortController().signal),
    };
    for (const replica of this.#replicas) replica.start();
    await this.#passing.pass(leadMs);
    this.#beganMs = clock.monotonic();
    this.#record.life("the scenario begins");
    this.#director.begin();
    const scenarioError = await this.#passing.until(options.scenario(tools)).then(() => undefined, messageOf);
    this.#record.life(scenarioError === undefined ? "the scenario ends" : `the scenario fails: ${scenarioError}`);
    this.#director.scenarioEnded();
    const { rested, end = this.#look().end } = await this.#settle(options.settleMs ?? defaultSettleMs);
    this.#director.end();
    const endMs = this.#record.nowMs;
    const objects = this.#objects();
    const { profile } = this.#director;
    const state = this.#operatorState();
    const before = this.#record.entries.length;
    const neverStarted = this.#replicas.filter(({ isStarting }) => isStarting);
    if (this.#isNewEnd(end)) await this.#startAnew();
    const restWrites = this.#record.entries.slice(before).filter(isOperatorWrite);
    this.#watching.see(this.#record.nowMs);
    return {
      plan: this.#parts.plan,
      entries: this.#record.entries,
      profile: {
        ...profile,
        lastMs: lastWriteMs(this.#record.entries.slice(0, before)),
        changes: asksIn(objects, this.#director.asked).filter(({ change }) => !change.isInvalid).length,
      },
      struck: this.#director.struck,
      scenarioError,
      settled: rested,
      end,
      facts: {
        asked: this.#director.asked,
        created: this.#director.created,
        hasLeases: this.#record.entries.some(isOperatorLease),
      },
      restWrites,
      harm: this.#director.belongings.harmIn(objects),
      contradictions: this.#director.contradictions,
      leases: leasesIn(objects),
      leftTimers: this.#replicas.reduce((sum, { leftTimers }) => sum + leftTimers, 0),
      unhandled: unhandled.messages,
      endMs,
      exits: [
        ...this.#replicas.flatMap(({ exits }) => exits),
        ...neverStarted.map(({ name }) => `${name} never started: what operator() gave is still awaited`),
      ],
      ...state,
      violations: [...this.#watching.violations, ...this.#watching.finish(this.#record.nowMs)],
      virtualMs: clock.monotonic() - this.#startMs,
    };
  }

  #clientFor(actor: "scenario"): Client {
    const { cluster, clock, random } = this.#parts;
    const transport = recorded(cluster.server.transport(), {
      actor,
      record: this.#record,
      created: (place) => this.#director.asked.push(place),
    });
    return new Client({ transport, clock, random: random.fork(actor), freezeCaches: true, rememberCalls: false });
  }

  /** Plays on until the operator is at rest, or the time is over. An operator at rest may report something every few minutes. */
  async #settle(settleMs: number): Promise<Settled> {
    const { clock, reference } = this.#parts;
    const rested = await this.#rest(clock.monotonic() + settleMs + this.#director.leftMs);
    const { setBackMs } = this.#director;
    if (reference === undefined || setBackMs === 0 || this.#isDone()) return { rested };
    // a new process that acts at once shows that the old one waited by a time of the past in its memory
    const { end } = this.#look();
    for (const replica of this.#replicas) replica.startAgain();
    await this.#passing.pass(restMs);
    if (this.#isDone()) return { rested, end };
    // work that is due at a time in an object is late on a clock that was set back
    return { rested: await this.#rest(clock.monotonic() + setBackMs) };
  }

  /** For another user's act, in the midst of a history. */
  async #settled(): Promise<Rest | undefined> {
    const { clock } = this.#parts;
    const { entries } = this.#record;
    const [since, sinceMs] = [entries.length, this.#record.nowMs];
    const isLong = (): boolean => this.#record.nowMs - Math.max(lastWriteMs(entries), sinceMs) >= referenceQuietMs;
    while (!isLong()) {
      if (this.#record.nowMs - sinceMs > defaultSettleMs) return undefined;
      await clock.sleep(settleStepMs, new AbortController().signal);
    }
    const { failing, deadLetters } = this.#operatorState();
    const isWell = failing.length + deadLetters.length === 0 && !entries.slice(since).some(isRefusedWrite);
    return { end: this.#look().end, isWell };
  }

  /** True if the operator came to rest before the limit, which is put off while another user acts. */
  async #rest(latest: number): Promise<boolean> {
    const { clock, reference } = this.#parts;
    const patienceMs = latest - clock.monotonic();
    let rested = false;
    let limit = latest;
    while (clock.monotonic() < limit) {
      await this.#passing.pass(settleStepMs);
      if (this.#director.isActing) limit = clock.monotonic() + patienceMs;
      const sinceMs = this.#record.nowMs - Math.max(lastWriteMs(this.#record.entries), this.#director.lastMs);
      if (this.#director.isBusy || sinceMs < shortQuietMs) continue;
      rested ||= sinceMs >= quietMs;
      if (sinceMs < deafMs && this.#replicas.some(({ current }) => current?.wire.isDeaf)) continue;
      // without a reference it is unknown whether the operator is done or waits for its next step
      if (reference === undefined ? sinceMs >= referenceQuietMs : this.#isDone()) return true;
    }
    return rested;
  }

  /** The end is that of the reference, and no key waits for another attempt. */
  #isDone(): boolean {
    return this.#operatorState().failing.length === 0 && this.#look().isReference;
  }

  /**
   * Whether a new process may do something else here than in the history without faults, at whose end it wrote nothing.
   * A part of the histories that end as that one does is looked at all the same: a new process meets other latencies.
   */
  #isNewEnd(end: EndState): boolean {
    const { reference, random } = this.#parts;
    const isOther = reference === undefined || this.#director.belongings.areThere || !isSameState(end, reference);
    return isOther || random.fork("anew").int(anewEvery) === 0;
  }

  /** Replaces every process by a new one, as an upgrade would, and gives it time to write. */
  async #startAnew(): Promise<void> {
    for (const replica of this.#replicas) {
      replica.kill(undefined);
      replica.start();
    }
    await this.#passing.pass(restMs);
  }

  #operatorState(): Pick<History, "deadLetters" | "failing" | "hotLoops"> {
    const controllers = this.#replicas.flatMap(({ current }) => current?.operator?.controllers ?? []);
    return {
      deadLetters: controllers.flatMap(({ name, deadLetters }) =>
        deadLetters.map(({ key, error }) => `${name} ${key}: ${messageOf(error)}`),
      ),
      failing: controllers.flatMap(({ name, failing }) =>
        failing.map(({ key, failures }) => `${name} ${key}, ${failures} times in a row`),
      ),
      hotLoops: controllers.flatMap(({ name, slowed }) => slowed.map((key) => `${name} ${key}`)),
    };
  }

  #objects(): readonly KubeObject[] {
    const { store } = this.#parts.cluster.server;
    return [...store.collections()].flatMap((collection) =>
      store.list({ collection, prefix: "", from: "" }).items.map(({ object }) => object),
    );
  }

  /** The state of the cluster, which is worked out once for each revision. */
  #look(): Look {
    const { reference, cluster } = this.#parts;
    const { revision } = cluster.server.store;
    if (this.#seen?.revision === revision) return this.#seen;
    const end = this.#end();
    // of two equal states that of the reference is kept: an oracle then sees at once that they are
    const isReference = reference !== undefined && isSameState(end, reference);
    return (this.#seen = { revision, end: isReference ? reference : end, isReference });
  }

  #end(): EndState {
    const { belongings } = this.#director;
    const objects = this.#objects().filter((object) => !belongings.isOwn(object));
    const { options, world, chance } = this.#parts;
    const state = endStateOf(settledWithout(world.running, objects), {
      ignore: options.ignore ?? [],
      known: world.forms,
    });
    return withoutChance(state, chance);
  }
}

function leasesIn(objects: readonly KubeObject[]): readonly string[] {
  return objects
    .filter(({ kind, metadata }) => kind === "Lease" && metadata.namespace !== "kube-node-lease")
    .map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`);
}

/** Collects the rejections that nobody handles, which belong to the history that is being played. */
function rejections(): Disposable & { readonly messages: readonly string[] } {
  const messages: string[] = [];
  const note = (reason: unknown): void => void messages.push(messageOf(reason));
  process.on("unhandledRejection", note);
  return { messages, [Symbol.dispose]: () => void process.off("unhandledRejection", note) };
}

/** The server has refused a write of the operator for its content. */
const isRefusedWrite = (entry: Entry): boolean =>
  entry.type === "request" && entry.write !== undefined && [400, 403, 422].includes(Number(entry.outcome));

const settleStepMs = 5_000;
const shortQuietMs = 15_000;
/** A watch that is not answered is given up after a minute, and asked for again after a back-off of up to another. */
const deafMs = 3 * 60_000;

function lastWriteMs(entries: readonly Entry[]): number {
  return entries.findLast(isOperatorWrite)?.atMs ?? 0;
}
