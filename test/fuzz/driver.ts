/**
 * The fuzzer: takes targets, a corpus and random numbers; reports the inputs that it runs, keeps or finds faulty. It
 * knows neither files nor time.
 */
import { messageOf, type Random, stackOf } from "../../src/base/index.js";
import { mutated } from "./mutate.js";
import { Finding, type Outcome, shapeOf, type Target, type TargetKind } from "./target.js";

export type FuzzEvent =
  /** Reported before the input is run, so that an input that ends the process is known. */
  | { readonly type: "running"; readonly target: string; readonly input: Uint8Array }
  /** The first input of its outcome. */
  | { readonly type: "kept"; readonly target: string; readonly input: Uint8Array; readonly outcome: Outcome }
  | { readonly type: "finding"; readonly target: string; readonly input: Uint8Array; readonly what: string };

/** By the name of their target. */
export type Inputs = ReadonlyMap<string, readonly Uint8Array[]>;

export interface FuzzOptions {
  readonly targets: readonly TargetKind[];
  readonly random: Random;
  /** Inputs of earlier runs. */
  readonly corpus?: Inputs;
  /** Inputs that ended an earlier run, and are not run. */
  readonly deadly?: Inputs;
}

/** A target is reopened after this many inputs, so that the effects of earlier inputs do not pile up. */
const inputsOfOne = 500;
/** The number of inputs that are kept for one kind of outcome. */
const mostOfKind = 30;

/**
 * Runs until its reader stops: first every seed and the corpus, then inputs made from them. A finding is reported once
 * for each place.
 */
export async function* fuzz({
  targets,
  random,
  corpus = new Map(),
  deadly = new Map(),
}: FuzzOptions): AsyncGenerator<FuzzEvent, void> {
  const states = targets.map((kind) => new TargetState(kind, deadly.get(kind.name)));
  try {
    for (const state of states) {
      for (const input of [...state.kind.seeds, ...(corpus.get(state.kind.name) ?? [])]) yield* state.run(input);
    }
    for (;;) {
      const state = states[random.int(states.length)];
      if (state === undefined) return;
      yield* state.run(state.next(random));
    }
  } finally {
    for (const state of states) await state.close();
  }
}

/**
 * Invariants:
 * 1. `kept` holds the seeds, and one input for each detail in `outcomes` that is no finding.
 * 2. `target` is open only between two inputs of the same run of `inputsOfOne`.
 */
class TargetState {
  readonly kind: TargetKind;
  /** The details that there have been, by kind; at most `mostOfKind` of each. */
  readonly #outcomes: Map<string, Set<string>> = new Map();
  readonly #kept: Uint8Array[];
  readonly #deadly: ReadonlySet<string>;
  #target: Target | undefined;
  #runs = 0;

  constructor(kind: TargetKind, deadly: readonly Uint8Array[] = []) {
    this.kind = kind;
    this.#deadly = new Set(deadly.map(identityOf));
    this.#kept = [...kind.seeds];
  }

  next(random: Random): Uint8Array {
    const one = (): Uint8Array => this.#kept[random.int(this.#kept.length)] ?? new Uint8Array();
    const { words, mutate = mutated } = this.kind;
    return mutate(one(), { random, words, other: one() });
  }

  async *run(input: Uint8Array): AsyncGenerator<FuzzEvent, void> {
    if (this.#deadly.has(identityOf(input))) return;
    const target = this.kind.name;
    yield { type: "running", target, input };
    try {
      const outcome = await this.#outcome(input);
      if (!this.#isNew(outcome)) return;
      this.#kept.push(input);
      yield { type: "kept", target, input, outcome };
    } catch (error) {
      await this.close();
      if (!this.#isNew({ kind: `finding at ${placeOf(error)}`, detail: "" })) return;
      yield { type: "finding", target, input, what: `${describe(error)}\n${await this.#alone(input)}` };
    }
  }

  async close(): Promise<void> {
    const target = this.#target;
    this.#target = undefined;
    this.#runs = 0;
    await target?.[Symbol.asyncDispose]();
  }

  async #outcome(input: Uint8Array): Promise<Outcome> {
    if (this.#runs++ >= inputsOfOne) await this.close();
    this.#target ??= await this.kind.open();
    return await this.#target.run(input);
  }

  /** Tells whether the input alone causes the finding, or needs the inputs before it. */
  async #alone(input: Uint8Array): Promise<string> {
    await using target = await this.kind.open();
    try {
      await target.run(input);
      return "It happens only after earlier inputs: run the same seed again.";
    } catch {
      return "It happens with this input alone.";
    }
  }

  /** Whether this was the first time, and is to be remembered. */
  #isNew({ kind, detail }: Outcome): boolean {
    let details = this.#outcomes.get(kind);
    if (details === undefined) this.#outcomes.set(kind, (details = new Set()));
    if (details.has(detail) || details.size >= mostOfKind) return false;
    details.add(detail);
    return true;
  }
}

const identityOf = (input: Uint8Array): string => Buffer.from(input).toString("latin1");

/** The origin of an error: findings from one place are one finding. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return "no Error";
  const origin = error.cause instanceof Error ? error.cause : error;
  return origin instanceof Finding ? shapeOf(origin.message) : (stackOf(origin)[1] ?? origin.name);
}

function describe(error: unknown): string {
  return error instanceof Error
    ? stackOf(error).slice(0, 10).join("\n")
    : `threw what is no Error: ${messageOf(error)}`;
}
