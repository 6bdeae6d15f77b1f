/** A first-in-first-out buffer that grows as needed and gives memory back after a burst. */

const smallest = 16;

/**
 * Adding and taking are O(1) amortised: the buffer doubles when it is full and halves when it is three quarters empty,
 * so that a move of n items follows at least as many cheap steps.
 *
 * Invariants:
 * 1. `#slots.length` is a power of two, at least `smallest`.
 * 2. The items are at `(#head + i) & mask` for i in [0, #length); every other slot is undefined, so nothing is kept
 *    alive.
 */
export class Ring<T> implements Iterable<T> {
  #slots: (T | undefined)[] = slotsOf<T>([], smallest);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The number of items that fit before the next growth. */
  get capacity(): number {
    return this.#slots.length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length += 1;
  }

  /** Takes the oldest item. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length -= 1;
    const capacity = this.#slots.length;
    if (capacity > smallest && this.#length <= capacity >> 2) this.#resize(capacity >> 1);
    return item;
  }

  /** The item that `shift` would give. */
  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  /** The item at `index`, 0 being the oldest; undefined outside [0, length). */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    return this.#slots[(this.#head + index) & (this.#slots.length - 1)];
  }

  clear(): void {
    this.#slots = slotsOf<T>([], smallest);
    this.#head = 0;
    this.#length = 0;
  }

  /** Oldest first. Items added during the iteration are seen too; taking items during it skips some. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.#length; i++) yield this.at(i) as T;
  }

  #resize(capacity: number): void {
    this.#slots = slotsOf(this, capacity);
    this.#head = 0;
  }
}

/** Filled by pushing, so that the engine keeps the array without holes. */
function slotsOf<T>(items: Iterable<T>, capacity: number): (T | undefined)[] {
  const slots: (T | undefined)[] = [...items];
  while (slots.length < capacity) slots.push(undefined);
  return slots;
}
