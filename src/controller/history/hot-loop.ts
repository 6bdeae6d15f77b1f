/** Notices keys that reconcile for ever because their own writes wake them, or because somebody else undoes what they write. */
import type { Reason } from "../../workqueue/index.js";

/** A write of a run, as far as loops are concerned. */
export interface LoopWrite {
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
  readonly fields: readonly string[];
  /** Tells one value of the changed fields from another. */
  readonly value: string;
  /** Field managers of the object besides us, the latest first. */
  readonly otherWriters: readonly string[];
}

/** A run that has ended. Reasons that carry a revision are events; others wake a key from outside of any loop. */
export interface LoopRun {
  readonly reasons: readonly Pick<Reason, "revision">[];
  readonly writes: readonly LoopWrite[];
  readonly now: number;
}

export interface LoopReport {
  readonly key: string;
  readonly why: "its own writes wake it" | "another writer undoes its writes";
  readonly object: string;
  readonly fields: readonly string[];
  /** The controller and, if it is known, the other one. */
  readonly writers: readonly string[];
  readonly runs: number;
  readonly delayMs: number;
}

export interface HotLoopOptions {
  /** The field manager of this controller. */
  readonly writer: string;
  /** So many runs in a row, each woken by nothing but the last one's writes, are a loop. */
  readonly selfRuns?: number;
  /** So many times the same values on the same fields within a minute are a fight. */
  readonly repeats?: number;
  readonly maxDelayMs?: number;
}

interface KeyState {
  /** Revisions of our own recent writes: events that carry them are our own echo. */
  own: string[];
  selfRuns: number;
  level: number;
  /** What was written how often since when. */
  repeats: Map<string, { count: number; since: number }>;
}

const windowMs = 60_000;
const ownLimit = 16;
const keyLimit = 10_000;

/**
 * A loop is never cut by dropping events: the key still runs, later, once for all that happened meanwhile. The delay doubles with each run
 * that goes on with it, and ends with the first run that writes nothing.
 */
export class HotLoopBreaker {
  readonly #keys = new Map<string, KeyState>();
  readonly #settings: Required<HotLoopOptions>;

  constructor(options: HotLoopOptions) {
    this.#settings = { selfRuns: 10, repeats: 5, maxDelayMs: 60_000, ...options };
  }

  /** How long an event about this key should wait; 0 if all is well. */
  delayMs(key: string): number {
    const level = this.#keys.get(key)?.level ?? 0;
    return level === 0 ? 0 : Math.min(this.#settings.maxDelayMs, 1000 * 2 ** (level - 1));
  }

  get slowed(): readonly string[] {
    return Array.from(this.#keys).flatMap(([key, { level }]) => (level > 0 ? [key] : []));
  }

  /** A run has ended. One that wrote nothing ends every loop. */
  ran(key: string, { reasons, writes, now }: LoopRun): LoopReport | undefined {
    if (writes.length === 0) {
      if (this.#keys.size > 0) this.#keys.delete(key);
      return undefined;
    }
    const state = this.#keys.get(key) ?? this.#create(key);
    const isEcho =
      reasons.length > 0 && reasons.every(({ revision }) => revision !== undefined && state.own.includes(revision));
    state.selfRuns = isEcho ? state.selfRuns + 1 : 0;
    state.own = [...state.own, ...writes.map(({ revision }) => revision)].slice(-ownLimit);
    const repeated = this.#countRepeats(state, writes, now);
    if (state.selfRuns >= this.#settings.selfRuns)
      return this.#slow(key, state, { why: "its own writes wake it", write: writes[0] });
    if (repeated !== undefined)
      return this.#slow(key, state, { why: "another writer undoes its writes", write: repeated });
    return undefined;
  }

  #countRepeats(state: KeyState, writes: readonly LoopWrite[], now: number): LoopWrite | undefined {
    for (const write of writes) {
      const id = `${write.kind} ${write.key} ${write.fields.join()} ${write.value}`;
      const known = state.repeats.get(id);
      const next =
        known === undefined || now - known.since > windowMs
          ? { count: 1, since: now }
          : { ...known, count: known.count + 1 };
      state.repeats.delete(id);
      state.repeats.set(id, next);
      if (state.repeats.size > ownLimit) state.repeats.delete(state.repeats.keys().next().value as string);
      if (next.count >= this.#settings.repeats) return write;
    }
    return undefined;
  }

  #slow(
    key: string,
    state: KeyState,
    { why, write }: { readonly why: LoopReport["why"]; readonly write: LoopWrite | undefined },
  ): LoopReport {
    state.level = Math.min(state.level + 1, 20);
    const { writer } = this.#settings;
    return {
      key,
      why,
      object: write === undefined ? "" : `${write.kind} ${write.key}`,
      fields: write?.fields ?? [],
      writers: [writer, ...(write?.otherWriters ?? []).slice(0, why === "its own writes wake it" ? 0 : 1)],
      runs: why === "its own writes wake it" ? state.selfRuns : this.#settings.repeats,
      delayMs: this.delayMs(key),
    };
  }

  #create(key: string): KeyState {
    const state: KeyState = { own: [], selfRuns: 0, level: 0, repeats: new Map() };
    this.#keys.set(key, state);
    if (this.#keys.size > keyLimit) this.#keys.delete(this.#keys.keys().next().value as string);
    return state;
  }
}
