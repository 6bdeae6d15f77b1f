/** The clock of tests: time moves only when told, and wakes sleepers in order. */
import { Heap } from "../containers/heap.js";
import { trackLeak } from "../leaks.js";
import { checkNumber } from "../options/numbers.js";
import { checkWait, type Clock, sleepOn, type Timer } from "./clock.js";

interface Pending {
  readonly id: number;
  readonly dueMs: number;
  readonly callback: () => void;
  readonly open: Disposable;
}

export interface FakeClockOptions {
  /** The wall time at the start; 2020-01-01T00:00:00Z by default. */
  readonly startMs?: number;
}

/**
 * Work of the program under test, e.g. a reconcile. Time waits for it while it waits for a file or a socket, and not
 * for this clock.
 */
export interface Operation extends Disposable {
  /** Until the result is disposed, the operation waits for other code that may need this clock to move on. */
  waiting(): Disposable;
}

/**
 * After this many turns of the event loop `passUntil` lets time pass, and each further turn that waits for an operation
 * takes 1 ms.
 */
const patientTurns = 200;
/** About a second on an idle machine. Counted in turns and not in time, so that a busy machine changes nothing. */
const operationTurns = 1_200;
/** Time does not wait longer than this for work that begins a new turn in each turn, and so has no end. */
const endlessTurns = 1_000;

/** Enough steps for the consequences of a change in a program of controllers. */
const passSteps = 50;

/**
 * Timers fire in the order of their due times, and in the order of their creation when those are equal. Before a timer
 * fires, and before time moves, everything happens that needs no time: all microtasks, and all callbacks of
 * setImmediate with those that they set in turn. So a callback sees everything that earlier ones caused, however long
 * the chain of steps. The same program therefore takes the same steps each time on every machine, as long as it waits
 * only for this clock, `during` and operations included.
 *
 * Invariants:
 * 1. No pending timer is due before `#elapsedMs`.
 * 2. `#elapsedMs` never goes back; only `jumpWall` moves wall time without it.
 * 3. Time does not move, and no timer fires, while a callback of setImmediate waits, or an operation is at work, and the
 *    patience with them lasts.
 */
export class FakeClock implements Clock {
  readonly #timers = new Heap<Pending, number>({
    compare: (a, b) => a.dueMs - b.dueMs || a.id - b.id,
    key: (timer) => timer.id,
  });
  #elapsedMs = 0;
  #wallStartMs: number;
  #nextId = 0;
  #advancing = false;
  readonly #operations = new Set<RunningOperation>();
  /** The step of `passUntil` that is under way. */
  #ownStep: Promise<void> | undefined;
  /** Counts the calls that move the clock. */
  #moves = 0;
  /** The turns for which time still waits before there is quiet again. */
  #turnsLeft = endlessTurns;

  constructor(options: FakeClockOptions = {}) {
    this.#wallStartMs = options.startMs ?? Date.UTC(2020, 0, 1);
  }

  now(): number {
    return this.#wallStartMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timer(ms: number, callback: () => void): Timer {
    checkWait(ms);
    const id = this.#nextId++;
    const open = trackLeak("timer", () => `${ms} ms on a FakeClock`);
    this.#timers.push({ id, dueMs: this.#elapsedMs + (ms > 0 ? ms : 0), callback, open });
    return { [Symbol.dispose]: () => this.#timers.remove(id)?.open[Symbol.dispose]() };
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** The time until the next timer is due; undefined if there is none. */
  get nextTimerMs(): number | undefined {
    const next = this.#timers.peek();
    return next && next.dueMs - this.#elapsedMs;
  }

  /** Does work that does not wait for this clock, which stands still until the work is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    using _operation = this.operation({ turns: Number.POSITIVE_INFINITY });
    return await work();
  }

  /**
   * Begins an operation for which time waits, but for at most `turns` turns of the event loop at a stretch, about a
   * second by default: an operation that takes longer may be waiting for the test itself. Disposing ends it.
   */
  operation({ turns = operationTurns }: { readonly turns?: number } = {}): Operation {
    const operation = new RunningOperation(turns, () => this.#operations.delete(operation));
    this.#operations.add(operation);
    return operation;
  }

  /** Moves time by `ms` and fires the timers that fall due on the way, also those made on the way. */
  async advance(ms: number): Promise<void> {
    checkNumber("the time to advance by", ms);
    this.#moves += 1;
    while (this.#ownStep !== undefined) await this.#ownStep;
    await this.#move(ms);
  }

  /**
   * Waits for the promise. If the promise turns out to wait for time, lets time pass from timer to timer: for the end
   * of tests, where a stopping program must not wait for a clock that nobody moves any more.
   */
  async passUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = (): void => void (settled = true);
    promise.then(end, end);
    let moves = this.#moves;
    for (let turn = 0; !settled; turn++) {
      await oneTurn();
      if (moves !== this.#moves || this.#advancing) turn = 0;
      moves = this.#moves;
      const nextMs = this.nextTimerMs;
      if (turn < patientTurns || settled || nextMs === undefined) continue;
      const step = this.#move(nextMs);
      this.#ownStep = step;
      await step.finally(() => (this.#ownStep = undefined));
    }
    return promise;
  }

  /**
   * Moves straight to the next timer, but by at most `ms`, and fires all timers that are due then: for callers that
   * know that nothing is left to do at this moment, where `advance` makes sure of it first.
   */
  async advanceToNext(ms: number): Promise<void> {
    this.#moves += 1;
    while (this.#ownStep !== undefined) await this.#ownStep;
    await this.#move(Math.min(this.nextTimerMs ?? ms, ms), { isQuiet: true });
  }

  async #move(ms: number, { isQuiet = false }: { readonly isQuiet?: boolean } = {}): Promise<void> {
    if (this.#advancing) throw new Error("this clock is already advancing: await the first advance before the next");
    this.#advancing = true;
    try {
      const targetMs = this.#elapsedMs + ms;
      if (!isQuiet) await this.#quiet();
      for (let next = this.#timers.peek(); next !== undefined && next.dueMs <= targetMs; next = this.#timers.peek()) {
        this.#timers.pop();
        this.#elapsedMs = next.dueMs;
        next.open[Symbol.dispose]();
        next.callback();
        await this.#quiet();
      }
      this.#elapsedMs = targetMs;
    } finally {
      this.#advancing = false;
    }
  }

  /** Waits for one turn of the event loop, and for more as long as there is work that needs no time. */
  async #quiet(): Promise<void> {
    do {
      await settle();
      for (let worked = 0; this.#isWorkedOn(); worked++) await (worked < patientTurns ? settle() : pause());
    } while (this.#isBusy());
  }

  /** Whether a turn waits, and is worth waiting for: work without an end uses up the patience until there is quiet. */
  #isBusy(): boolean {
    if (!hasPendingTurn()) {
      this.#turnsLeft = endlessTurns;
      return false;
    }
    if (this.#turnsLeft === 0) return false;
    this.#turnsLeft -= 1;
    return true;
  }

  /** Whether an operation is at work. Takes one turn off the patience with each of them. */
  #isWorkedOn(): boolean {
    let isWorkedOn = false;
    if (this.#operations.size === 0) return false;
    for (const operation of this.#operations) if (operation.takeTurn()) isWorkedOn = true;
    return isWorkedOn;
  }

  /**
   * Moves time by `ms` in small steps, with turns of the event loop between them, so that the consequences of a change
   * (a request, an event, a reconcile, another request) happen before time has moved far. For whole programs; `advance`
   * is for single timers.
   */
  async pass(ms: number): Promise<void> {
    checkNumber("the time to pass", ms);
    const startMs = this.#elapsedMs;
    for (let step = 1; step <= passSteps; step++) {
      await this.advance(Math.max(0, startMs + (ms * step) / passSteps - this.#elapsedMs));
    }
  }

  /** Drops every pending timer, as after a simulated crash: the code that waited has died, and is not cleaned up. */
  abandon(): void {
    for (const timer of this.#timers.values()) timer.open[Symbol.dispose]();
    this.#timers.clear();
  }

  /** Changes wall time alone, as an administrator or NTP does; timers and `monotonic` do not notice. */
  jumpWall(ms: number): void {
    this.#wallStartMs += ms;
  }
}

/** One turn of the event loop: every microtask, and every setImmediate callback that is already waiting, has run. */
function oneTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The number of clocks that wait for quiet. There is one event loop, so all clocks share the count. */
const waiting = { clocks: 0 };

/** One turn that is no work: a clock's look whether there is any. */
function settle(): Promise<void> {
  waiting.clocks += 1;
  return new Promise((resolve) =>
    setImmediate(() => {
      waiting.clocks -= 1;
      resolve();
    }),
  );
}

/**
 * Whether a callback of setImmediate waits that is not a clock's own: two clocks of one process must not wait for each
 * other. Microtasks need no question, because they are all done between two turns.
 */
function hasPendingTurn(): boolean {
  let turns = 0;
  for (const resource of process.getActiveResourcesInfo()) if (resource === "Immediate") turns += 1;
  return turns > waiting.clocks;
}

/** Waits a real millisecond, for work that takes longer than turns do. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** Invariant: `#turnsLeft` is the patience that is left since the last wait ended. */
class RunningOperation implements Operation {
  readonly #turns: number;
  readonly #end: () => void;
  #waits = 0;
  #turnsLeft: number;

  constructor(turns: number, end: () => void) {
    this.#turns = turns;
    this.#turnsLeft = turns;
    this.#end = end;
  }

  /** False if the operation is not at work, or the patience with it is over. */
  takeTurn(): boolean {
    if (this.#waits > 0 || this.#turnsLeft <= 0) return false;
    this.#turnsLeft -= 1;
    return true;
  }

  waiting(): Disposable {
    this.#waits += 1;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#waits -= 1;
        this.#turnsLeft = this.#turns;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}
