/** Expectations: a controller counts its own writes until its cache shows them. From act; asked before the next act. */
import { type Clock, systemClock } from "../base/index.js";

interface Expected {
  /** Creations that were asked for and not seen yet. Below zero if more were seen than asked for. */
  creations: number;
  /** What is to go, by an id that the delete event carries too, so that nothing is counted twice. */
  readonly deletions: Set<string>;
  readonly since: number;
}

export interface ExpectationsOptions {
  readonly clock?: Clock;
  /** After this time unmet expectations count as met: an event was lost, and to wait for ever would be worse. */
  readonly timeoutMs?: number;
}

/**
 * What the controller of a key has written and its cache has not shown. While something is expected, creating or deleting
 * more would act on a view older than the controller's own last write.
 *
 * A key that expects nothing has no entry. Setting an expectation replaces the key's former ones.
 */
export class Expectations {
  readonly #expected = new Map<string, Expected>();
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor({ clock = systemClock, timeoutMs = 5 * 60_000 }: ExpectationsOptions = {}) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  expectCreations(key: string, count: number): void {
    this.#set(key, count, []);
  }

  expectDeletions(key: string, ids: readonly string[]): void {
    this.#set(key, 0, ids);
  }

  /** Both at once, for a controller that creates and deletes in one sync. */
  expect(key: string, creations: number, deletions: readonly string[]): void {
    this.#set(key, creations, deletions);
  }

  /** Seen in the cache, or known never to come (the create failed, or was not tried). */
  creationObserved(key: string, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined) expected.creations -= count;
  }

  /** The first sight of its deletion, or its end, or a failed delete. */
  deletionObserved(key: string, id: string): void {
    this.#expected.get(key)?.deletions.delete(id);
  }

  /** True if the cache shows all that was written; read this before the cache, never after. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined) return true;
    if (expected.creations <= 0 && expected.deletions.size === 0) return true;
    return this.#clock.monotonic() - expected.since > this.#timeoutMs;
  }

  /** For an owner that is gone: a namesake starts clean. */
  forget(key: string): void {
    this.#expected.delete(key);
  }

  #set(key: string, creations: number, deletions: readonly string[]): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: this.#clock.monotonic() });
  }
}
