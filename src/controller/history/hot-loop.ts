/** Notices keys that reconcile for ever: their writes wake them, another writer undoes their writes, or they come again by themselves. */
import type { Reason } from "../../workqueue/index.js";

/** A write of a run, as far as loops are concerned. */
export interface LoopWrite {
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
  readonly fields: readonly string[];
  /** Tells one value of the changed fields from another. */
  readonly value: string;
  /** Field managers of the object besides us, those of the changed fields first. */
  readonly otherWriters: readonly string[];
}

/** A run that has ended. Reasons that carry a revision are events; others wake a key from outside of any loop. */
export interface LoopRun {
  readonly reasons: readonly Pick<Reason, "revision">[];
  readonly writes: readonly LoopWrite[];
  readonly startedAt: number;
  readonly now: number;
}

export interface LoopReport {
  readonly key: string;
  readonly why: "its own writes wake it" | "another writer undoes its writes" | "it comes again without a change";
  /** Kind and key of the object that the run wrote; "" if it wrote none. */
  readonly object: string;
  readonly fields: readonly string[];
  /** The controller and, if it is known, the other one. */
  readonly writers: readonly string[];
  readonly runs: number;
  readonly delayMs: number;
}

/** For people, in an event. */
export function describeLoop({ why, object, fields, writers, runs: count, delayMs }: LoopReport): string {
  const what = object === "" ? "" : ` Writers: ${writers.join(" and ")}; ${object}: ${fields.join(", ")}.`;
  return `${count} runs in a row: ${why}.${what} Next run in ${delayMs} ms`;
}

interface KeyState {
  /** Revisions of our own recent writes: events that carry them are our own echo. */
  own: string[];
  selfRuns: number;
  /** How often in a row the loop was noticed, of what kind it is, and when it was noticed last. */
  level: number;
  why: LoopReport["why"];
  noticedAt: number;
  /** The last writes, the latest at the end; a list, because most keys have one or two. */
  repeats: Repeat[];
  /** The greatest count of the last run's writes. */
  mostRepeats: number;
}

/** A value that was written to these fields of an object: how often in a row since when, and when last. */
interface Repeat {
  readonly place: string;
  readonly value: string;
  readonly count: number;
  readonly since: number;
  readonly last: number;
}

/** So many runs in a row, each woken by nothing but the last one's writes, are a loop. */
const selfRunLimit = 10;
/** This many runs in a row without any change, each within `soonMs` of the one before, are a loop too. */
const idleRunLimit = 100;
const soonMs = 50;
/** So many times in a row the same values on the same fields, within a minute, are a fight. */
const repeatLimit = 5;
/** The number of runs in the report of these loops: the limit at which each is noticed. */
const runs = {
  "it comes again without a change": idleRunLimit,
  "another writer undoes its writes": repeatLimit,
} as const;
const maxDelayMs = 60_000;
const windowMs = 60_000;
const ownLimit = 16;
const keyLimit = 10_000;

/**
 * A loop is never cut by dropping events: the key still runs, later, once for all that happened meanwhile. The delay doubles with each run
 * that goes on with it. A key that wakes itself is free again after the first run that writes nothing; one that comes without a change, after
 * the first run that did not come soon, or that a change caused; one that is fought over, when there was nothing to repair for longer than the
 * delay and a minute. The echo of its own write, for which there is nothing to do, is no peace.
 */
export class HotLoopBreaker {
  readonly #keys = new Map<string, KeyState>();
  /** Keys whose last run no change caused: how many such runs there were in a row, each soon after the one before, and when the last began. */
  readonly #idle = new Map<string, { readonly runs: number; readonly startedAt: number }>();
  /** The field manager of this controller. */
  readonly #writer: string;

  constructor({ writer }: { readonly writer: string }) {
    this.#writer = writer;
  }

  /** How long an event about this key should wait; 0 if all is well. */
  delayMs(key: string, now: number): number {
    const state = this.#keys.get(key);
    return state === undefined || !this.#isSlowed(state, now) ? 0 : this.#delayOf(state);
  }

  /** Its next write may be the one too many: time to find out who else writes. */
  suspects(key: string): boolean {
    if (this.#keys.size === 0) return false;
    const state = this.#keys.get(key);
    return state !== undefined && (state.level > 0 || state.mostRepeats >= repeatLimit - 1);
  }

  slowed(now: number): readonly string[] {
    return Array.from(this.#keys).flatMap(([key, state]) => (this.#isSlowed(state, now) ? [key] : []));
  }

  /** A run has ended. */
  ran(key: string, run: LoopRun): LoopReport | undefined {
    const { reasons, writes, now } = run;
    if (this.#isIdleLoop(key, run)) {
      const state = this.#keys.get(key) ?? this.#create(key);
      return this.#slow(key, state, { why: "it comes again without a change", write: writes[0], now });
    }
    if (writes.length === 0) {
      this.#rested(key, now);
      return undefined;
    }
    const state = this.#keys.get(key) ?? this.#create(key);
    if (!this.#isSlowed(state, now)) state.level = 0;
    const isEcho =
      reasons.length > 0 && reasons.every(({ revision }) => revision !== undefined && state.own.includes(revision));
    state.selfRuns = isEcho ? state.selfRuns + 1 : 0;
    state.own = [...state.own, ...writes.map(({ revision }) => revision)].slice(-ownLimit);
    const repeated = this.#countRepeats(state, writes, now);
    if (state.selfRuns >= selfRunLimit)
      return this.#slow(key, state, { why: "its own writes wake it", write: writes[0], now });
    if (repeated !== undefined)
      return this.#slow(key, state, { why: "another writer undoes its writes", write: repeated, now });
    return undefined;
  }

  /** Whether the key has come too often without a change. A slowed key that asks again as soon as before goes on with its loop. */
  #isIdleLoop(key: string, { reasons, startedAt, now }: LoopRun): boolean {
    const own = this.#keys.get(key)?.own;
    const isIdle =
      reasons.length > 0 && reasons.every(({ revision }) => revision === undefined || own?.includes(revision) === true);
    const known = this.#idle.get(key);
    if (known === undefined && !isIdle) return false;
    this.#idle.delete(key);
    const isSoon = startedAt - (known?.startedAt ?? startedAt) <= this.delayMs(key, now) + soonMs;
    const runs = isSoon ? (known?.runs ?? 0) + 1 : 1;
    if (isIdle) this.#idle.set(key, { runs, startedAt });
    if (this.#idle.size > keyLimit) this.#idle.delete(this.#idle.keys().next().value as string);
    if (isIdle && runs >= idleRunLimit) return true;
    const state = this.#keys.get(key);
    if (state?.why === "it comes again without a change") state.level = 0;
    return false;
  }

  /** There was nothing to do. Whoever wakes itself has stopped; whoever undoes our writes may only be slower than our echo. */
  #rested(key: string, now: number): void {
    const state = this.#keys.get(key);
    if (state === undefined) return;
    state.selfRuns = 0;
    if (state.why === "its own writes wake it") state.level = 0;
    if (this.#isSlowed(state, now)) return;
    if (state.repeats.every(({ since }) => now - since > windowMs)) this.#keys.delete(key);
  }

  #countRepeats(state: KeyState, writes: readonly LoopWrite[], now: number): LoopWrite | undefined {
    state.mostRepeats = 0;
    let fought: LoopWrite | undefined;
    for (const write of writes) {
      const place = `${write.kind} ${write.key} ${write.fields.join()}`;
      const before = state.repeats.find((repeat) => repeat.place === place);
      // that a value comes back after another one that we wrote ourselves is nobody else's doing
      const known = before?.value === write.value ? before : undefined;
      // a fight that was slowed down goes on at its slower pace
      const goesOn = known !== undefined && state.level > 0 && now - known.last <= windowMs + maxDelayMs;
      const next =
        known === undefined || now - known.since > windowMs
          ? { place, value: write.value, count: 1, since: now, last: now }
          : { ...known, count: known.count + 1, last: now };
      state.repeats = [...state.repeats.filter((repeat) => repeat !== before), next].slice(-ownLimit);
      state.mostRepeats = Math.max(state.mostRepeats, next.count);
      if (next.count >= repeatLimit || goesOn) fought ??= write;
    }
    return fought;
  }

  #slow(
    key: string,
    state: KeyState,
    {
      why,
      write,
      now,
    }: { readonly why: LoopReport["why"]; readonly write: LoopWrite | undefined; readonly now: number },
  ): LoopReport {
    state.level = Math.min(state.level + 1, 20);
    state.why = why;
    state.noticedAt = now;
    const writer = this.#writer;
    return {
      key,
      why,
      object: write === undefined ? "" : `${write.kind} ${write.key}`,
      fields: write?.fields ?? [],
      writers: [writer, ...(write?.otherWriters ?? []).slice(0, why === "another writer undoes its writes" ? 1 : 0)],
      runs: { ...runs, "its own writes wake it": state.selfRuns }[why],
      delayMs: this.#delayOf(state),
    };
  }

  #delayOf({ level }: KeyState): number {
    return Math.min(maxDelayMs, 1000 * 2 ** (level - 1));
  }

  #isSlowed(state: KeyState, now: number): boolean {
    return state.level > 0 && now - state.noticedAt <= this.#delayOf(state) + windowMs;
  }

  #create(key: string): KeyState {
    const why = "its own writes wake it";
    const state: KeyState = { own: [], selfRuns: 0, level: 0, why, noticedAt: 0, repeats: [], mostRepeats: 0 };
    this.#keys.set(key, state);
    if (this.#keys.size > keyLimit) this.#keys.delete(this.#keys.keys().next().value as string);
    return state;
  }
}
