/** `simulate`: plays an operator through many histories of faults, and reports the histories that end badly, with the reason. */
import { seededRandom } from "../../base/index.js";
import { type Chance, chanceIn, withoutChance } from "./end-state.js";
import type { FaultKind } from "./fault.js";
import { allFaults } from "./faults/index.js";
import type { History } from "./history.js";
import type { Oracle } from "./oracle.js";
import { type PlayOptions, playHistory } from "./play/play.js";
import { prepareWorld, type World } from "./play/world.js";
import { defaultOracles } from "./oracles/index.js";
import { checkSimulateOptions, type Failure, type Report, type SimulateOptions } from "./options.js";
import { drawPlan, type Plan } from "./plan.js";
import { Covered } from "./search/coverage.js";
import { type Systematic, systematicPlans } from "./search/systematic.js";
import { shrink } from "./shrink.js";
import { storyOf } from "./story.js";
import { sweepPlans } from "./search/sweep.js";
import { traceOf } from "./trace.js";

interface Complaint {
  readonly oracle: string;
  readonly messages: readonly string[];
}

/**
 * Prepares one world, and forks it for each history. Plays the history without faults first, then in turns
 * each single fault at each of its writes and events, and every kind of fault alone at a few moments; then the random seeds. A history that
 * an oracle complains about is shrunk to the fewest faults and told as a story. The same options
 * and seeds give the same report.
 */
export async function simulate(options: SimulateOptions): Promise<Report> {
  checkSimulateOptions(options);
  await using world = await prepareWorld(options);
  return await new Search(options, world).run();
}

class Search {
  readonly #options: PlayOptions;
  readonly #world: World;
  readonly #oracles: readonly Oracle[];
  readonly #failures: Failure[] = [];
  #chance: Chance = new Map();
  #histories = 0;
  #played = 0;
  #virtualMs = 0;

  constructor(options: SimulateOptions, world: World) {
    this.#world = world;
    this.#oracles = options.oracles ?? defaultOracles;
    const { faults = allFaults } = options;
    // the kinds of faults that an operator can answer in this world
    const possible = faults.filter(({ needs }) => needs === undefined || world.running.has(needs));
    this.#options = { ...options, oracles: this.#oracles, faults: possible };
  }

  async run(): Promise<Report> {
    const { signal, maxFailures = 1 } = this.#options;
    const first = await this.#play({ seed: "none", faults: [] });
    const complaint = this.#judge(first, first);
    if (complaint !== undefined) {
      this.#failures.push(failureOf(first, complaint));
      return this.#report(new Covered(first.profile, { reads: [], pruned: 0 }));
    }
    const reference = await this.#withoutChance(first);
    const faults = this.#options.faults.filter(({ fits }) => fits?.(reference.facts) ?? true);
    const systematic = systematicPlans(faults, reference);
    const covered = new Covered(reference.profile, systematic);
    for (const plan of this.#plans(reference, systematic, faults)) {
      if (signal?.aborted || this.#failures.length >= maxFailures) break;
      const history = await this.#play(plan, reference);
      covered.add(history.struck);
      if (plan.seed.startsWith("systematic-")) this.#played += 1;
      const found = this.#judge(history, reference);
      if (found !== undefined) await this.#fail(history, found, reference);
      this.#options.onProgress?.({
        histories: this.#histories,
        failures: this.#failures.length,
        systematic: { played: this.#played, of: systematic.plans.length },
      });
    }
    return this.#report(covered);
  }

  /** The history without the values that the operator draws by chance: a second history like it has others in their places. */
  async #withoutChance(reference: History): Promise<History> {
    const again = await playHistory(this.#options, this.#world, {
      plan: reference.plan,
      reference: reference.end,
      draws: "again",
    });
    this.#chance = chanceIn(reference.end, again.end);
    return { ...reference, end: withoutChance(reference.end, this.#chance) };
  }

  async #play(plan: Plan, reference?: History): Promise<History> {
    const history = await playHistory(this.#options, this.#world, {
      plan,
      reference: reference?.end,
      chance: this.#chance,
    });
    this.#histories += 1;
    this.#virtualMs += history.virtualMs;
    return history;
  }

  /** A generator, because a search by time has more seeds than it will ever play. */
  *#plans({ profile }: History, { plans }: Systematic, faults: readonly FaultKind[]): Generator<Plan, void, undefined> {
    const { systematic = true, seeds = 100, share = { index: 0, count: 1 } } = this.#options;
    const isMine = (number: number): boolean => number % share.count === share.index;
    const all = inTurns(plans, sweepPlans(faults, profile));
    const drawn = (seed: number): Plan => drawPlan(seed, faults, profile, seededRandom(`plan ${seed}`));
    const only = process.env["COXSWAIN_SEED"]?.split(",") ?? this.#options.only;
    if (only !== undefined) {
      for (const seed of only) {
        const plan = all.find((one) => one.seed === seed) ?? (/^\d+$/.test(seed) ? drawn(Number(seed)) : undefined);
        if (plan === undefined)
          throw new Error(
            `there is no history ${seed}: a seed is a number, or one of ${all[0]?.seed ?? "none"} … ${all.at(-1)?.seed ?? "none"}`,
          );
        yield plan;
      }
      return;
    }
    if (systematic) yield* all.filter((_, number) => isMine(number));
    if (typeof seeds !== "number") {
      for (const [number, seed] of seeds.entries()) if (isMine(number)) yield drawn(seed);
    } else for (let seed = share.index; seed < seeds; seed += share.count) yield drawn(seed);
  }

  #judge(history: History, reference: History): Complaint | undefined {
    const violation = history.violations[0];
    if (violation !== undefined)
      return { oracle: violation.oracle, messages: [`${violation.message} (at ${violation.atMs} ms)`] };
    for (const { name, judge } of this.#oracles) {
      const messages = judge?.({ history, reference }) ?? [];
      if (messages.length > 0) return { oracle: name, messages };
    }
    return undefined;
  }

  async #fail(history: History, complaint: Complaint, reference: History): Promise<void> {
    let last = { history, complaint };
    await shrink(history.plan, async (smaller) => {
      const again = await this.#play(smaller, reference);
      const found = this.#judge(again, reference);
      if (found?.oracle !== complaint.oracle) return false;
      last = { history: again, complaint: found };
      return true;
    });
    this.#failures.push(failureOf(last.history, last.complaint));
  }

  #report(covered: Covered): Report {
    return {
      failures: this.#failures,
      histories: this.#histories,
      coverage: covered.report,
      virtualMs: this.#virtualMs,
    };
  }
}

/** The elements of two lists in turns, so that a search that is cut short has seen both. */
function inTurns<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, number) => [
    ...one.slice(number, number + 1),
    ...other.slice(number, number + 1),
  ]).flat();
}

function failureOf(history: History, { oracle, messages }: Complaint): Failure {
  return {
    seed: history.plan.seed,
    plan: history.plan,
    oracle,
    message: messages.join("\n"),
    story: storyOf({ history, oracle, messages }),
    trace: traceOf({ history, oracle, messages }),
  };
}
