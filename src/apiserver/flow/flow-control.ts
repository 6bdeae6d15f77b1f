/**
 * Priority and fairness: takes each request; gives it a seat, at once or when its turn has come, or rejects it. The
 * order is that of kube-apiserver; because all requests share one thread, a request with a seat also waits while the
 * present turn of the event loop is used up.
 */
import type { FlowSchema, PriorityLevelConfiguration } from "../../api/index.js";
import { type Clock, Heap, type MetricsRegistry, onAbort, type Timer } from "../../base/index.js";
import type { RequestInfo } from "../contracts/request.js";
import type { UserInfo } from "../contracts/user.js";
import { objectsIn, type Store } from "../storage/contract.js";
import { Hands } from "./hands.js";
import { type Flow, type Level, Levels } from "./levels.js";
import { FlowMetrics } from "./metrics.js";
import type { Ticket } from "./queue-set.js";
import { type RequestTurns, requestTurnsOf } from "./turns.js";
import { totalWork, WatchCounts, type Work, workOf } from "./work.js";

export const flowCollections = {
  levels: "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  schemas: "flowcontrol.apiserver.k8s.io/flowschemas",
} as const;

export interface FlowControlOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  /** The seats of the whole server. */
  readonly seats: number;
  /** The collection of a resource; undefined if there is none of this name. */
  collectionOf(info: RequestInfo): string | undefined;
  readonly turns?: RequestTurns;
}

/** A request that asks for a seat. */
export interface Asking {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** The longest wait in a queue. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Disposing gives the seat back; a second time does nothing. */
export type Seat = Disposable;

/** The error of a request that gets no seat; its client may ask again after `afterSeconds`. */
export class Rejected extends Error {
  override readonly name = "Rejected";
  readonly afterSeconds: number;

  constructor(afterSeconds: number) {
    super("Too many requests, please try again later.");
    this.afterSeconds = afterSeconds;
  }
}

/** A request whose ticket waits. */
interface Pending {
  readonly number: number;
  readonly flow: Flow;
  readonly ticket: Ticket;
  readonly isWatch: boolean;
  readonly deadline: number;
  resolve(seat: Seat): void;
  reject(error: Rejected): void;
}

const periodMs = 10_000;
/** After this many idle periods the division of seats changes no more. */
const idlePeriods = 500;

/**
 * Invariants:
 * 1. `#waiting` holds exactly the requests whose tickets wait, `#byDeadline` the same ones.
 * 2. While a request waits, a step is due (`#stepDue`) or a timer is armed for the next change that time brings.
 * 3. `#dividedAt` is at most one period ago after each call.
 */
export class FlowControl implements Disposable {
  readonly #options: FlowControlOptions;
  readonly #levels: Levels;
  readonly #hands = new Hands();
  readonly #metrics: FlowMetrics;
  readonly #watches = new WatchCounts();
  readonly #turns: RequestTurns;
  readonly #waiting = new Map<Ticket, Pending>();
  readonly #byDeadline = new Heap<Pending, number>({
    compare: (a, b) => a.deadline - b.deadline || a.number - b.number,
    key: ({ number }) => number,
  });
  readonly #following: readonly Disposable[];
  #arrivals = 0;
  #stepDue = false;
  #timer: Timer | undefined;
  #dividedAt: number;

  constructor(options: FlowControlOptions) {
    const { store, clock, metrics, seats, turns = requestTurnsOf(clock) } = options;
    this.#options = options;
    this.#turns = turns;
    this.#dividedAt = clock.monotonic();
    this.#levels = new Levels(seats, this.#dividedAt);
    this.#metrics = new FlowMetrics(metrics);
    this.#configure();
    const after = store.revision;
    this.#following = Object.values(flowCollections).map((collection) =>
      store.watch({ collection, prefix: "", after }, () => this.#configure()),
    );
  }

  get levels(): Iterable<Level> {
    return this.#levels;
  }

  /** The flows of the waiting requests by ticket, for people. */
  get waiting(): ReadonlyMap<Ticket, { readonly flow: Flow }> {
    return this.#waiting;
  }

  /** The flow to which a request belongs. */
  flowOf(user: UserInfo, info: RequestInfo): Flow {
    return this.#levels.flowOf(user, info);
  }

  /** Counts a watch while it is open: a write that it will be told of is more work. */
  watchOpened(info: RequestInfo, query: URLSearchParams): Disposable | undefined {
    return info.type === "resource" ? this.#watches.open(info, query) : undefined;
  }

  /** Throws, or rejects with, `Rejected`: there is no room, or the client has gone. */
  enter(given: Flow, asking: Asking): Seat | Promise<Seat> {
    if (asking.signal.aborted) throw this.#rejection(given.level);
    const now = this.#options.clock.monotonic();
    this.#catchUp(now);
    const flow = this.#levels.has(given.level) ? given : this.flowOf(asking.user, asking.info);
    const { level } = flow;
    const work = this.#workOf(level, asking);
    const held = this.#waiting.size > 0 || this.#turns.isOver(now);
    const ticket = level.queues.arrive({ work, hand: this.#handOf(flow), held }, now);
    if (typeof ticket === "string") {
      level.counts.rejected++;
      this.#metrics.rejected(flow, ticket, 0);
      throw this.#rejection(level);
    }
    const { queuing, queues } = level;
    this.#metrics.arrived(flow, work, queuing.type === "queue" ? queues.waiting : undefined);
    level.demand.set(queues.demand, now);
    const isWatch = asking.info.verb === "watch";
    if (ticket.state === "executing" || (!held && queues.next(now) === ticket)) {
      return this.#begun({ flow, ticket, isWatch }, now);
    }
    return this.#wait({ flow, ticket, isWatch }, asking);
  }

  [Symbol.dispose](): void {
    for (const following of this.#following) following[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #handOf({ schema, distinguisher, level: { queuing } }: Flow): readonly number[] {
    if (queuing.type !== "queue") return [];
    return this.#hands.of({ schema, distinguisher }, queuing.queues, queuing.handSize);
  }

  #workOf(level: Level, { info, query }: Asking): Work {
    return workOf(info, () => ({
      query,
      stored: () => this.#stored(info),
      watchers: () => this.#watches.interestedIn(info),
      mostSeats: this.#levels.widest(level),
    }));
  }

  /** The average size is that of the first few objects. */
  #stored(info: RequestInfo): { readonly count: number; readonly averageBytes: number } | undefined {
    const { store, collectionOf } = this.#options;
    const collection = collectionOf(info);
    if (collection === undefined) return undefined;
    const count = store.count(collection);
    const { items } = store.list({ collection, prefix: "", from: "", limit: 8 });
    const bytes = items.reduce((sum, { size }) => sum + size, 0);
    return { count, averageBytes: items.length === 0 ? 0 : bytes / items.length };
  }

  #wait(request: Pick<Pending, "flow" | "ticket" | "isWatch">, { patienceMs, signal }: Asking): Promise<Seat> {
    return new Promise((resolve, reject) => {
      const { flow, ticket } = request;
      const done = (): void => {
        aborting[Symbol.dispose]();
        this.#waiting.delete(ticket);
        this.#byDeadline.remove(pending.number);
        this.#metrics.waiting(flow, ticket.work, -1);
      };
      const pending: Pending = {
        ...request,
        number: this.#arrivals++,
        deadline: ticket.arrivedAt + patienceMs,
        resolve: (seat) => {
          done();
          resolve(seat);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      this.#waiting.set(ticket, pending);
      this.#byDeadline.push(pending);
      this.#metrics.waiting(flow, ticket.work, 1);
      const aborting = onAbort(signal, () => this.#giveUp(pending));
      this.#stepSoon();
    });
  }

  /** Rejects a waiting request whose time is over, or whose client is gone. */
  #giveUp(pending: Pending): void {
    const { flow, ticket } = pending;
    const now = this.#options.clock.monotonic();
    flow.level.queues.leave(ticket, now);
    flow.level.demand.set(flow.level.queues.demand, now);
    flow.level.counts.rejected++;
    flow.level.counts.cancelled++;
    this.#metrics.rejected(flow, "time-out", now - ticket.arrivedAt);
    pending.reject(this.#rejection(flow.level));
    this.#levels.reap(flow.level, now);
    this.#stepSoon();
  }

  #begun({ flow, ticket, isWatch }: Pick<Pending, "flow" | "ticket" | "isWatch">, now: number): Seat {
    const { level } = flow;
    const waitedMs = level.queuing.type === "exempt" ? undefined : now - ticket.arrivedAt;
    level.counts.dispatched++;
    this.#metrics.begun(flow, ticket.work, waitedMs);
    return {
      [Symbol.dispose]: () => {
        if (ticket.state !== "executing") return;
        const endedAt = this.#options.clock.monotonic();
        level.queues.end(ticket, endedAt);
        level.demand.set(level.queues.demand, endedAt);
        this.#metrics.ended(flow, ticket.work, { ms: endedAt - ticket.startedAt, isWatch });
        this.#levels.reap(level, endedAt);
        if (this.#waiting.size > 0) this.#stepSoon();
      },
    };
  }

  #rejection(level: Level): Rejected {
    return new Rejected(level.drops.count(Math.floor(this.#options.clock.now() / 1000)));
  }

  #stepSoon(): void {
    if (this.#stepDue) return;
    this.#stepDue = true;
    this.#turns.next((share) => this.#step(share));
  }

  /** Begins waiting requests, at most `share`. The others begin in later turns, when these have had their first share of work. */
  #step(share: number): void {
    const now = this.#options.clock.monotonic();
    this.#stepDue = false;
    this.#catchUp(now);
    for (let begun = 0; begun < share && this.#waiting.size > 0; begun++) {
      const pending = this.#next(now);
      if (pending === undefined) return this.#rest(now);
      pending.resolve(this.#begun(pending, now));
    }
    if (this.#waiting.size > 0) this.#stepSoon();
    else this.#rest(now);
  }

  /** Of the levels with a request that can begin, the one that was served least for its seats goes first. */
  #next(now: number): Pending | undefined {
    if (this.#waiting.size === 0) return undefined;
    let least = Number.POSITIVE_INFINITY;
    let first: Level | undefined;
    for (const level of this.#levels) {
      if (level.served >= least || !level.queues.isReady) continue;
      least = level.served;
      first = level;
    }
    const ticket = first?.queues.next(now);
    if (first === undefined || ticket === undefined) return undefined;
    const cost = totalWork(ticket.work) / Math.max(first.queues.limit, 1);
    first.served = least + cost;
    // a level that had nothing to do does not save up for later
    for (const level of this.#levels) level.served = Math.max(level.served, least);
    return this.#waiting.get(ticket);
  }

  /** Every waiting request lacks a seat: waits until one becomes free, a request's time is over, or a period ends. */
  #rest(now: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const first = this.#byDeadline.peek();
    if (first === undefined) return;
    let at = Math.min(first.deadline, this.#dividedAt + periodMs);
    for (const { queues } of this.#levels) if (queues.waiting > 0) at = Math.min(at, queues.freesAt);
    this.#timer = this.#options.clock.timer(Math.max(at - now, 0), () => {
      this.#timer = undefined;
      this.#expire();
      this.#stepSoon();
    });
  }

  #expire(): void {
    const now = this.#options.clock.monotonic();
    for (;;) {
      const first = this.#byDeadline.peek();
      if (first === undefined || first.deadline > now) return;
      this.#giveUp(first);
    }
  }

  /** Divides the seats anew for each period that has ended since. */
  #catchUp(now: number): void {
    if (now - this.#dividedAt < periodMs) return;
    const periods = Math.floor((now - this.#dividedAt) / periodMs);
    if (periods > idlePeriods) this.#dividedAt += (periods - idlePeriods) * periodMs;
    while (now - this.#dividedAt >= periodMs) this.#levels.divide((this.#dividedAt += periodMs));
    this.#metrics.limits(this.#levels);
  }

  #configure(): void {
    const now = this.#options.clock.monotonic();
    this.#catchUp(now);
    this.#levels.configure(flowObjectsIn(this.#options.store), now);
    this.#metrics.limits(this.#levels);
    if (this.#waiting.size > 0) this.#stepSoon();
  }
}

export function flowObjectsIn(store: Store): {
  readonly levels: readonly PriorityLevelConfiguration[];
  readonly schemas: readonly FlowSchema[];
} {
  return {
    levels: objectsIn<PriorityLevelConfiguration>(store, flowCollections.levels),
    schemas: objectsIn<FlowSchema>(store, flowCollections.schemas),
  };
}
