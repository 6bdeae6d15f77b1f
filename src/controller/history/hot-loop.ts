/**
 * Notices keys that reconcile for ever: their own writes trigger them, another writer undoes their writes, or they come
 * again without a change.
 */
import { Recent } from "../../base/index.js";
import type { Reason } from "../../workqueue/index.js";

/** A write of a run, reduced to what loop detection needs. */
export interface LoopWrite {
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
  readonly fields: readonly string[];
  /** Identifies the written values of the changed fields. */
  readonly value: string;
  /** Other field managers of the object, those of the changed fields first. */
  readonly otherWriters: readonly string[];
}

/** A run that has ended. Reasons with a revision are events; other reasons come from outside any loop. */
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
  /** The controller and, if it is known, the other writer. */
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
  /** Revisions of our own recent writes: events with these are our own echo. */
  own: string[];
  selfRuns: number;
  /** The number of times in a row that the loop was noticed, its kind, and the time of the last notice. */
  level: number;
  why: LoopReport["why"];
  noticedAt: number;
  /** The last writes, the latest at the end; a list, because most keys have one or two. */
  repeats: Repeat[];
  /** The greatest count among the last run's writes. */
  mostRepeats: number;
  /** The last report; undefined until the loop is noticed. */
  report: LoopReport | undefined;
}

/** A value that was written to these fields of an object: how often in a row, since when, and when last. */
interface Repeat {
  readonly place: string;
  readonly value: string;
  readonly count: number;
  readonly since: number;
  readonly last: number;
}

/** This many runs in a row, each triggered only by the last one's writes, are a loop. */
const selfRunLimit = 10;
/** This many runs in a row without any change, each within `soonMs` of the one before, are a loop too. */
const idleRunLimit = 100;
const soonMs = 50;
/** This many writes in a row of the same values to the same fields, within a minute, are a fight. */
const repeatLimit = 5;
/** The number of runs in the report of these loops: the limit at which each is noticed. */
const runs = {
  "it comes again without a change": idleRunLimit,
  "another writer undoes its writes": repeatLimit,
} as const;
const maxDelayMs = 60_000;
const windowMs = 60_000;
const ownLimit = 16;
/** The number of keys that are surely remembered. */
const rememberedKeys = { weight: 10_000 };

/**
 * A loop is never cut by dropping events: the key still runs, later, once for everything that happened meanwhile. The
 * delay doubles with each run that continues the loop. A key that triggers itself is free again after the first run
 * that writes nothing; one that comes without a change, after the first run that did not come soon or that a change
 * caused; one that is fought over, when there was nothing to repair for longer than the delay and a minute. The echo of
 * its own write, for which there is nothing to do, does not end a fight.
 */
export class HotLoopBreaker {
  readonly #keys = new Recent<string, KeyState>(rememberedKeys);
  /**
   * Keys whose last run was not caused by a change: the number of such runs in a row, each soon after the one before,
   * and the start of the last.
   */
  readonly #idle = new Recent<string, { readonly runs: number; readonly startedAt: number }>(rememberedKeys);
  /** The field manager of this controller. */
  readonly #writer: string;

  constructor({ writer }: { readonly writer: string }) {
    this.#writer = writer;
  }

  /** The time that an event about this key must wait; 0 if the key is not slowed. */
  delayMs(key: string, now: number): number {
    const state = this.#keys.get(key);
    return state === undefined || !this.#isSlowed(state, now) ? 0 : this.#delayOf(state);
  }

  /** True if the next write may be one too many, so that it is time to find the other writers. */
  suspects(key: string): boolean {
    const state = this.#keys.get(key);
    return state !== undefined && (state.level > 0 || state.mostRepeats >= repeatLimit - 1);
  }

  slowed(now: number): readonly string[] {
    const slowed: string[] = [];
    for (const [key, state] of this.#keys.entries()) if (this.#isSlowed(state, now)) slowed.push(key);
    return slowed;
  }

  /** The last report about a key that is slowed. */
  reportOf(key: string, now: number): LoopReport | undefined {
    const state = this.#keys.get(key);
    return state !== undefined && this.#isSlowed(state, now) ? state.report : undefined;
  }

  /** Records a run that has ended. */
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

  /** Whether the key has come too often without a change. A slowed key that asks again as soon as before continues its loop. */
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
    if (isIdle && runs >= idleRunLimit) return true;
    const state = this.#keys.get(key);
    if (state?.why === "it comes again without a change") state.level = 0;
    return false;
  }

  /**
   * Called when there was nothing to do. A key that triggered itself has stopped; in a fight, the other writer may only
   * be slower than our echo.
   */
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
      // a value that returns after another value of our own is not the doing of another writer
      const known = before?.value === write.value ? before : undefined;
      // a fight that was slowed down continues at its slower pace
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
    state.report = {
      key,
      why,
      object: write === undefined ? "" : `${write.kind} ${write.key}`,
      fields: write?.fields ?? [],
      writers: [writer, ...(write?.otherWriters ?? []).slice(0, why === "another writer undoes its writes" ? 1 : 0)],
      runs: { ...runs, "its own writes wake it": state.selfRuns }[why],
      delayMs: this.#delayOf(state),
    };
    return state.report;
  }

  #delayOf({ level }: KeyState): number {
    return Math.min(maxDelayMs, 1000 * 2 ** (level - 1));
  }

  #isSlowed(state: KeyState, now: number): boolean {
    return state.level > 0 && now - state.noticedAt <= this.#delayOf(state) + windowMs;
  }

  #create(key: string): KeyState {
    const state: KeyState = {
      own: [],
      selfRuns: 0,
      level: 0,
      why: "its own writes wake it",
      noticedAt: 0,
      repeats: [],
      mostRepeats: 0,
      report: undefined,
    };
    this.#keys.set(key, state);
    return state;
  }
}
