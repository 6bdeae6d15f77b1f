/**
 * The queues of one priority level: takes arrivals, ends and the time; gives the requests that may run, in fair order.
 * A state machine without a clock: every call brings the time, which never goes back.
 */
import { Heap, Ring } from "../../base/index.js";
import { serviceWork, totalWork, widthOf, type Work } from "./work.js";

export type Queuing =
  | { readonly type: "exempt" }
  /** A request for which there is no seat is rejected. */
  | { readonly type: "reject" }
  | { readonly type: "queue"; readonly queues: number; readonly handSize: number; readonly lengthLimit: number };

/** A request in a queue set: it waits, executes, lingers on its seats, and is over. */
export interface Ticket {
  readonly work: Work;
  readonly arrivedAt: number;
  /** -1 without queues. */
  readonly queue: number;
  state: "waiting" | "executing" | "lingering" | "over";
  /** 0 while it waits. */
  startedAt: number;
}

/** A ticket with its place in the fair order. */
interface Queued extends Ticket {
  readonly arrivedR: number;
  /** Tells lingering tickets apart. */
  readonly number: number;
  lingersUntil: number;
}

interface Queue {
  readonly index: number;
  readonly waiting: Ring<Queued>;
  waitingWork: number;
  executing: number;
  /** The virtual time at which the next request of this queue would be dispatched. */
  nextR: number;
}

export interface Arrival {
  readonly work: Work;
  /** The queues among which the flow's requests are divided; empty without queues. */
  readonly hand: readonly number[];
  /** True if nothing is dispatched for now, whatever the seats: waiting requests then count as if they had theirs. */
  readonly held: boolean;
}

export type Rejection = "concurrency-limit" | "queue-full";

/**
 * Fair queuing for server requests, as kube-apiserver does it: the request that would end first in virtual time R goes
 * first. In kube-apiserver R passes at the rate of the seats. Here R is the virtual start of the request begun last
 * (start-time fair queuing), because the seats share one thread, and their rate is not known.
 * Invariants:
 * 1. `#seatsInUse` is the width of all executing and lingering requests, `#seatsWaiting` that of the waiting ones.
 * 2. `#queues` holds exactly the queues with a waiting or executing request, by index.
 * 3. Of an exempt level no request waits.
 * 4. A ticket is in `#lingering` exactly while its state is "lingering".
 */
export class QueueSet {
  readonly #queues = new Map<number, Queue>();
  readonly #lingering = new Heap<Queued, number>({
    compare: (a, b) => a.lingersUntil - b.lingersUntil || a.number - b.number,
    key: ({ number }) => number,
  });
  #queuing: Queuing;
  #limit: number;
  #r = 0;
  #robin = 0;
  #arrivals = 0;
  #seatsInUse = 0;
  #seatsWaiting = 0;
  #waiting = 0;
  #executing = 0;

  constructor(queuing: Queuing, limit: number) {
    this.#queuing = queuing;
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }
  get seatsInUse(): number {
    return this.#seatsInUse;
  }
  /** Seats that are in use or waited for. */
  get demand(): number {
    return this.#seatsInUse + this.#seatsWaiting;
  }
  get waiting(): number {
    return this.#waiting;
  }
  get executing(): number {
    return this.#executing;
  }
  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }
  /** The time at which lingering seats become free; infinity if there are none. */
  get freesAt(): number {
    return this.#lingering.peek()?.lingersUntil ?? Number.POSITIVE_INFINITY;
  }

  /** If there are fewer queues now, the queues beyond that number get no new requests, and are emptied in the fair order. */
  configure(queuing: Queuing, limit: number, now: number): void {
    this.advance(now);
    this.#queuing = queuing;
    this.#limit = limit;
  }

  /** Brings the state to the time: seats whose requests have lingered long enough become free. */
  advance(now: number): void {
    for (;;) {
      const first = this.#lingering.peek();
      if (first === undefined || first.lingersUntil > now) break;
      this.#lingering.pop();
      first.state = "over";
      this.#seatsInUse -= widthOf(first.work);
    }
  }

  /** Gives a ticket that waits (see `next`), or executes at once in an exempt level; or the reason to reject the request. */
  arrive({ work, hand, held }: Arrival, now: number): Ticket | Rejection {
    this.advance(now);
    const width = widthOf(work);
    const ticket = {
      work,
      arrivedAt: now,
      arrivedR: this.#r,
      number: this.#arrivals,
      state: "waiting" as const,
      startedAt: 0,
      lingersUntil: 0,
    };
    if (this.#queuing.type === "exempt") {
      this.#arrivals++;
      return this.#begin({ queue: -1, ...ticket }, now);
    }
    if (this.#queuing.type === "reject") {
      if (!this.#fits(width, this.#seatsWaiting)) return "concurrency-limit";
      return this.#wait({ queue: -1, ...ticket });
    }
    const index = this.#choose(hand);
    const inUse = this.#seatsInUse + (held ? this.#seatsWaiting : 0);
    const length = this.#queues.get(index)?.waiting.length ?? 0;
    if (inUse >= this.#limit && length >= this.#queuing.lengthLimit) return "queue-full";
    return this.#wait({ queue: index, ...ticket });
  }

  /** True if `next` would give a request. */
  get isReady(): boolean {
    const ticket = this.#chosen()?.waiting.peek();
    return ticket !== undefined && this.#fits(widthOf(ticket.work));
  }

  /** The waiting request whose turn it is, executing from now on; undefined if there is none, or there is no seat for it. */
  next(now: number): Ticket | undefined {
    this.advance(now);
    const queue = this.#chosen();
    const ticket = queue?.waiting.peek();
    if (queue === undefined || ticket === undefined || !this.#fits(widthOf(ticket.work))) return undefined;
    queue.waiting.shift();
    this.#robin = queue.index;
    this.#r = Math.max(this.#r, queue.nextR);
    this.#unwait(queue, ticket);
    queue.executing++;
    queue.nextR += totalWork(ticket.work);
    this.#bound(queue);
    return this.#begin(ticket, now);
  }

  /** An executing request has been answered. */
  end(given: Ticket, now: number): void {
    this.advance(now);
    const ticket = given as Queued;
    if (ticket.state !== "executing") return;
    this.#executing--;
    const { seats, lingerMs } = ticket.work;
    const queue = this.#queues.get(ticket.queue);
    if (queue !== undefined) {
      queue.executing--;
      queue.nextR -= serviceWork(seats) - serviceWork(seats, now - ticket.startedAt);
      this.#bound(queue);
      this.#dropIfIdle(queue);
    }
    if (lingerMs > 0) {
      ticket.state = "lingering";
      ticket.lingersUntil = now + lingerMs;
      this.#lingering.push(ticket);
    } else {
      ticket.state = "over";
      this.#seatsInUse -= widthOf(ticket.work);
    }
  }

  /** A waiting request gives up. */
  leave(given: Ticket, now: number): void {
    this.advance(now);
    const ticket = given as Queued;
    const queue = this.#queues.get(ticket.queue);
    if (ticket.state !== "waiting" || queue === undefined) return;
    ticket.state = "over";
    const others = [...queue.waiting].filter((one) => one !== ticket);
    while (queue.waiting.length > 0) queue.waiting.shift();
    for (const other of others) queue.waiting.push(other);
    this.#unwait(queue, ticket);
    this.#bound(queue);
    this.#dropIfIdle(queue);
  }

  /** For people: the queues that are in use, by index. */
  describe(): readonly { readonly index: number; readonly waiting: readonly Ticket[]; readonly executing: number }[] {
    return [...this.#queues.values()]
      .map(({ index, waiting, executing }) => ({ index, waiting: [...waiting], executing }))
      .toSorted((a, b) => a.index - b.index);
  }

  #begin(ticket: Queued, now: number): Ticket {
    ticket.state = "executing";
    ticket.startedAt = now;
    this.#executing++;
    this.#seatsInUse += widthOf(ticket.work);
    return ticket;
  }

  #wait(ticket: Queued): Ticket {
    this.#arrivals++;
    let queue = this.#queues.get(ticket.queue);
    if (queue === undefined) {
      queue = { index: ticket.queue, waiting: new Ring(), waitingWork: 0, executing: 0, nextR: this.#r };
      this.#queues.set(ticket.queue, queue);
    }
    queue.waiting.push(ticket);
    queue.waitingWork += totalWork(ticket.work);
    this.#waiting++;
    this.#seatsWaiting += widthOf(ticket.work);
    this.#bound(queue);
    return ticket;
  }

  #unwait(queue: Queue, ticket: Queued): void {
    queue.waitingWork -= totalWork(ticket.work);
    this.#waiting--;
    this.#seatsWaiting -= widthOf(ticket.work);
  }

  /** A request that is wider than the whole level runs alone. */
  #fits(width: number, reserved = 0): boolean {
    if (width > this.#limit) return this.#executing === 0 && reserved === 0;
    return this.#seatsInUse + reserved + width <= this.#limit;
  }

  /** The queue of the hand with the least waiting work; among equals, each queue has its turn. */
  #choose(hand: readonly number[]): number {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < hand.length; i++) {
      const index = hand[(this.#arrivals + i) % hand.length] as number;
      const work = this.#queues.get(index)?.waitingWork ?? 0;
      if (work >= least) continue;
      least = work;
      best = index;
    }
    return best;
  }

  /** The queue whose oldest request would end first; among equals, the next one after the queue served last. */
  #chosen(): Queue | undefined {
    if (this.#waiting === 0) return undefined;
    let chosen: Queue | undefined;
    let [end, distance] = [Number.POSITIVE_INFINITY, 0];
    for (const queue of this.#queues.values()) {
      const oldest = queue.waiting.peek();
      if (oldest === undefined) continue;
      const itsEnd = queue.nextR + totalWork(oldest.work);
      const itsDistance = queue.index > this.#robin ? queue.index - this.#robin : queue.index + 2 ** 32 - this.#robin;
      if (itsEnd > end || (itsEnd === end && itsDistance >= distance)) continue;
      [chosen, end, distance] = [queue, itsEnd, itsDistance];
    }
    return chosen;
  }

  /** No request is dispatched before it has come: a queue does not save up for later. */
  #bound(queue: Queue): void {
    const oldest = queue.waiting.peek();
    if (oldest !== undefined) queue.nextR = Math.max(queue.nextR, oldest.arrivedR);
  }

  #dropIfIdle(queue: Queue): void {
    if (queue.waiting.length === 0 && queue.executing === 0) this.#queues.delete(queue.index);
  }
}
