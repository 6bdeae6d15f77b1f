/** Delayed keys by time, the earliest first. */
import type { Reason } from "./reasons.js";

/** The details of a delayed add besides its time; undefined stands for priority 0 and no reason. */
export interface DelayedDetails {
  priority: number;
  readonly reasons: Reason[];
  omittedReasons: number;
}

export interface Delayed<K> {
  readonly key: K;
  readonly dueAt: number;
  readonly details: DelayedDetails | undefined;
}

const firstCapacity = 64;

/**
 * A binary heap over columns: an entry is a slot, that is an index into all columns. A hundred thousand waiting keys
 * are then a few large arrays, which the garbage collector neither copies nor follows.
 *
 * Invariants, for a slot s in use:
 * 1. `#slots.get(#keys[s]) === s`.
 * 2. `#heap[#places[s]] === s`, and the first `size` places of `#heap` hold exactly the slots in use.
 * 3. No entry is due before its parent, `#heap[(place - 1) >> 1]`; of two entries with the same time, the one added
 *    first is earlier.
 * 4. Slots below `#used` that are not in use are in `#free`.
 */
export class DelayedKeys<K> {
  readonly #slots = new Map<K, number>();
  #keys: (K | undefined)[] = [];
  #details: (DelayedDetails | undefined)[] = [];
  #dueAt = new Float64Array(firstCapacity);
  #sequences = new Float64Array(firstCapacity);
  #places = new Int32Array(firstCapacity);
  #heap = new Int32Array(firstCapacity);
  #free: number[] = [];
  #used = 0;
  #sequence = 0;

  get size(): number {
    return this.#slots.size;
  }

  /** The earliest time; Infinity if there is no key. */
  get nextDueAt(): number {
    return this.#slots.size === 0 ? Number.POSITIVE_INFINITY : this.dueAt(this.#heap[0] as number);
  }

  /** The slot of a key, valid until the next change. */
  slotOf(key: K): number | undefined {
    return this.#slots.get(key);
  }

  dueAt(slot: number): number {
    return this.#dueAt[slot] as number;
  }

  details(slot: number): DelayedDetails | undefined {
    return this.#details[slot];
  }

  setDetails(slot: number, details: DelayedDetails): void {
    this.#details[slot] = details;
  }

  /** Adds a key that is not there yet. */
  add({ key, dueAt, details }: Delayed<K>): void {
    const place = this.#slots.size;
    const slot = this.#free.pop() ?? this.#newSlot();
    this.#slots.set(key, slot);
    this.#keys[slot] = key;
    if (details !== undefined) this.#details[slot] = details;
    this.#dueAt[slot] = dueAt;
    this.#sequences[slot] = this.#sequence++;
    this.#siftUp(slot, place);
  }

  /** Moves a key to an earlier time. */
  hasten(slot: number, dueAt: number): void {
    this.#dueAt[slot] = dueAt;
    this.#siftUp(slot, this.#places[slot] as number);
  }

  /** Takes the earliest key. There must be one. */
  shift(): Delayed<K> {
    const slot = this.#heap[0] as number;
    const taken = this.#at(slot);
    this.#slots.delete(taken.key);
    if (this.#slots.size === 0) {
      this.clear();
      return taken;
    }
    this.#keys[slot] = undefined;
    this.#details[slot] = undefined;
    this.#free.push(slot);
    this.#siftDown(this.#heap[this.#slots.size] as number, 0);
    return taken;
  }

  /** Removes all keys and releases their memory. */
  clear(): void {
    this.#slots.clear();
    this.#keys = [];
    this.#details = [];
    this.#free = [];
    this.#used = 0;
    if (this.#heap.length > firstCapacity) this.#resize(firstCapacity);
  }

  /** A copy, the earliest first. */
  list(): Delayed<K>[] {
    const slots = [...this.#slots.values()].sort((a, b) => (this.#isBefore(a, b) ? -1 : 1));
    return slots.map((slot) => this.#at(slot));
  }

  #at(slot: number): Delayed<K> {
    return { key: this.#keys[slot] as K, dueAt: this.dueAt(slot), details: this.#details[slot] };
  }

  #newSlot(): number {
    if (this.#used === this.#heap.length) this.#resize(2 * this.#used);
    return this.#used++;
  }

  #resize(capacity: number): void {
    const resized = <A extends Float64Array | Int32Array>(from: A, to: A): A => {
      to.set(from.length > capacity ? from.subarray(0, capacity) : from);
      return to;
    };
    this.#dueAt = resized(this.#dueAt, new Float64Array(capacity));
    this.#sequences = resized(this.#sequences, new Float64Array(capacity));
    this.#places = resized(this.#places, new Int32Array(capacity));
    this.#heap = resized(this.#heap, new Int32Array(capacity));
  }

  #isBefore(a: number, b: number): boolean {
    const [first, second] = [this.dueAt(a), this.dueAt(b)];
    return first < second || (first === second && (this.#sequences[a] as number) < (this.#sequences[b] as number));
  }

  #put(slot: number, place: number): void {
    this.#heap[place] = slot;
    this.#places[slot] = place;
  }

  #siftUp(slot: number, from: number): void {
    let place = from;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1] as number;
      if (!this.#isBefore(slot, above)) break;
      this.#put(above, place);
      place = (place - 1) >> 1;
    }
    this.#put(slot, place);
  }

  #siftDown(slot: number, from: number): void {
    const { size } = this.#slots;
    let place = from;
    for (let left = 1; left < size; left = 2 * place + 1) {
      let below = this.#heap[left] as number;
      let next = left;
      if (left + 1 < size && this.#isBefore(this.#heap[left + 1] as number, below)) {
        next = left + 1;
        below = this.#heap[next] as number;
      }
      if (!this.#isBefore(below, slot)) break;
      this.#put(below, place);
      place = next;
    }
    this.#put(slot, place);
  }
}
