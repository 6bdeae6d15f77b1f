import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Queuing, QueueSet, type Ticket } from "./queue-set.js";
import { totalWork, widthOf, type Work } from "./work.js";

const one: Work = { seats: 1, finalSeats: 0, lingerMs: 0 };
const queued = (queues: number, lengthLimit = 50): Queuing => ({ type: "queue", queues, handSize: 1, lengthLimit });

function arrive(set: QueueSet, queue: number, now = 0, work: Work = one): Ticket {
  const ticket = set.arrive({ work, hand: [queue], held: false }, now);
  if (typeof ticket === "string") throw new Error(ticket);
  return ticket;
}

describe("the queues of a level", () => {
  test("give no more seats than there are, and the next one when a request ends", () => {
    const set = new QueueSet(queued(4), 2);
    const tickets = [0, 1, 2].map((queue) => arrive(set, queue));
    const [first, second, third] = [set.next(0), set.next(0), set.next(0)];
    expect([first, second, third]).toEqual([tickets[1], tickets[2], undefined]);
    expect([set.executing, set.waiting, set.isReady]).toEqual([2, 1, false]);
    set.end(first as Ticket, 5);
    expect(set.next(5)).toBe(tickets[0]);
  });

  test("serve a quiet flow next, however many requests of a noisy one wait", () => {
    const set = new QueueSet(queued(4), 1);
    for (let i = 0; i < 40; i++) arrive(set, 0);
    let running = set.next(0) as Ticket;
    const quiet = arrive(set, 3, 1);
    set.end(running, 3);
    running = set.next(3) as Ticket;
    expect(running).toBe(quiet);
  });

  test("reject a request whose queue is full only while there is no seat", () => {
    const set = new QueueSet(queued(1, 1), 1);
    arrive(set, 0);
    set.next(0);
    arrive(set, 0);
    expect(set.arrive({ work: one, hand: [0], held: false }, 0)).toBe("queue-full");
  });

  test("count waiting requests as if they had their seats while nothing is dispatched", () => {
    const set = new QueueSet(queued(1, 2), 2);
    for (let i = 0; i < 2; i++) expect(set.arrive({ work: one, hand: [0], held: true }, 0)).toBeTypeOf("object");
    expect(set.arrive({ work: one, hand: [0], held: true }, 0)).toBe("queue-full");
  });

  test("keep the seats of a change until its events have had their time", () => {
    const set = new QueueSet({ type: "reject" }, 10);
    const ticket = arrive(set, 0, 0, { seats: 1, finalSeats: 10, lingerMs: 25 });
    set.next(0);
    set.end(ticket, 2);
    expect([set.seatsInUse, set.freesAt, set.isIdle]).toEqual([10, 27, true]);
    expect(set.arrive({ work: one, hand: [], held: false }, 26)).toBe("concurrency-limit");
    expect(set.arrive({ work: one, hand: [], held: false }, 27)).toBeTypeOf("object");
  });

  test("let a request that is wider than the level run alone", () => {
    const set = new QueueSet(queued(2), 3);
    const narrow = arrive(set, 0);
    set.next(0);
    const wide = arrive(set, 1, 0, { ...one, seats: 9 });
    expect(set.next(0)).toBeUndefined();
    set.end(narrow, 1);
    expect(set.next(1)).toBe(wide);
  });

  test("of an exempt level hold up nobody", () => {
    const set = new QueueSet({ type: "exempt" }, 0);
    expect([1, 2, 3].map(() => arrive(set, -1).state)).toEqual(["executing", "executing", "executing"]);
  });

  test("forget a request that gives up", () => {
    const set = new QueueSet(queued(1), 1);
    const [first, second, third] = [arrive(set, 0), arrive(set, 0), arrive(set, 0)];
    expect(set.next(0)).toBe(first);
    set.leave(second, 1);
    set.leave(second, 1);
    set.end(first, 2);
    expect([set.next(2), set.waiting, set.demand]).toEqual([third, 0, 1]);
  });
});

/** The same rules in the plainest form: all queues in an array, every sum made anew. */
class NaiveQueueSet {
  readonly queues: { waiting: NaiveRequest[]; executing: number; nextR: number }[];
  readonly all: NaiveRequest[] = [];
  r = 0;
  robin = 0;
  readonly limit: number;
  readonly lengthLimit: number;

  constructor(queues: number, limit: number, lengthLimit: number) {
    this.queues = Array.from({ length: queues }, () => ({ waiting: [], executing: 0, nextR: 0 }));
    this.limit = limit;
    this.lengthLimit = lengthLimit;
  }

  seats(...states: readonly NaiveRequest["state"][]): number {
    return this.all.filter(({ state }) => states.includes(state)).reduce((sum, { work }) => sum + widthOf(work), 0);
  }

  advance(now: number): void {
    for (const one of this.all) if (one.state === "lingering" && one.until <= now) one.state = "over";
  }

  arrive(work: Work, index: number, now: number): NaiveRequest | "queue-full" {
    this.advance(now);
    const queue = this.queues[index] as (typeof this.queues)[number];
    if (this.seats("executing", "lingering") >= this.limit && queue.waiting.length >= this.lengthLimit) {
      return "queue-full";
    }
    const request: NaiveRequest = { work, index, state: "waiting", arrivedR: this.r, startedAt: 0, until: 0 };
    if (queue.waiting.length === 0 && queue.executing === 0) queue.nextR = this.r;
    queue.waiting.push(request);
    this.all.push(request);
    this.bound();
    return request;
  }

  next(now: number): NaiveRequest | undefined {
    this.advance(now);
    let best: number | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 1; i <= this.queues.length; i++) {
      const index = (this.robin + i) % this.queues.length;
      const queue = this.queues[index] as (typeof this.queues)[number];
      const [oldest] = queue.waiting;
      if (oldest === undefined || queue.nextR + totalWork(oldest.work) >= least) continue;
      least = queue.nextR + totalWork(oldest.work);
      best = index;
    }
    if (best === undefined) return undefined;
    const queue = this.queues[best] as (typeof this.queues)[number];
    const request = queue.waiting[0] as NaiveRequest;
    const width = widthOf(request.work);
    const executing = this.all.filter(({ state }) => state === "executing").length;
    if (width > this.limit ? executing > 0 : this.seats("executing", "lingering") + width > this.limit)
      return undefined;
    queue.waiting.shift();
    queue.executing++;
    this.r = Math.max(this.r, queue.nextR);
    queue.nextR += totalWork(request.work);
    this.robin = best;
    Object.assign(request, { state: "executing", startedAt: now });
    this.bound();
    return request;
  }

  end(request: NaiveRequest, now: number): void {
    this.advance(now);
    const queue = this.queues[request.index] as (typeof this.queues)[number];
    queue.executing--;
    queue.nextR -= request.work.seats * (3 - (now - request.startedAt));
    const lingers = request.work.lingerMs > 0;
    Object.assign(request, { state: lingers ? "lingering" : "over", until: now + request.work.lingerMs });
    this.bound();
  }

  leave(request: NaiveRequest, now: number): void {
    this.advance(now);
    request.state = "over";
    const queue = this.queues[request.index] as (typeof this.queues)[number];
    queue.waiting = queue.waiting.filter((one) => one !== request);
    this.bound();
  }

  bound(): void {
    for (const queue of this.queues) {
      const [oldest] = queue.waiting;
      if (oldest !== undefined && queue.nextR < oldest.arrivedR) queue.nextR = oldest.arrivedR;
    }
  }
}

interface NaiveRequest {
  readonly work: Work;
  readonly index: number;
  readonly arrivedR: number;
  state: "waiting" | "executing" | "lingering" | "over";
  startedAt: number;
  until: number;
}

const work = fc.oneof(
  fc.constant(one),
  fc.record({ seats: fc.integer({ min: 1, max: 6 }), finalSeats: fc.constant(0), lingerMs: fc.constant(0) }),
  fc.record({
    seats: fc.constant(1),
    finalSeats: fc.integer({ min: 1, max: 6 }),
    lingerMs: fc.constantFrom(8, 16, 32),
  }),
);

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("arrive" as const), work, queue: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("next" as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("end" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("leave" as const), which: fc.nat(20) }) },
  // sums of these are exact, so that both sides see the same ties
  { weight: 3, arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(4, 8, 16, 64) }) },
);

test("random work is dispatched, rejected and counted as by a naive model", () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 2, 4, 8), fc.array(operation, { maxLength: 120 }), (limit, operations) => {
      const [set, model] = [new QueueSet(queued(4, 3), limit), new NaiveQueueSet(4, limit, 3)];
      const pairs: { readonly ticket: Ticket; readonly request: NaiveRequest }[] = [];
      let now = 0;
      const pick = (state: Ticket["state"], which: number): (typeof pairs)[number] | undefined => {
        const some = pairs.filter(({ ticket }) => ticket.state === state);
        return some[which % Math.max(some.length, 1)];
      };
      for (const step of operations) {
        if (step.type === "pass") now += step.ms;
        else if (step.type === "arrive") {
          const ticket = set.arrive({ work: step.work, hand: [step.queue], held: false }, now);
          const request = model.arrive(step.work, step.queue, now);
          expect(typeof ticket).toBe(typeof request);
          if (typeof ticket !== "string" && typeof request !== "string") pairs.push({ ticket, request });
        } else if (step.type === "next") {
          const [ticket, request] = [set.next(now), model.next(now)];
          expect(pairs.findIndex((one) => one.ticket === ticket)).toBe(
            pairs.findIndex((one) => one.request === request),
          );
        } else {
          const chosen = pick(step.type === "end" ? "executing" : "waiting", step.which);
          if (chosen === undefined) continue;
          set[step.type](chosen.ticket, now);
          model[step.type](chosen.request, now);
        }
        set.advance(now);
        model.advance(now);
        expect(set.seatsInUse).toBe(model.seats("executing", "lingering"));
        expect(set.demand).toBe(model.seats("waiting", "executing", "lingering"));
        expect(pairs.map(({ ticket }) => ticket.state)).toEqual(pairs.map(({ request }) => request.state));
      }
    }),
  );
});
