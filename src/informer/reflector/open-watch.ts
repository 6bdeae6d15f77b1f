/** One open watch: its batches, its age, and a watchdog that ends it when it falls silent. */
import {
  abortable,
  abortReason,
  type Clock,
  type LinkedAbort,
  linkedAbort,
  onAbort,
  type Timer,
} from "../../base/index.js";
import type { ListerWatcher, SourceEvent, SourceWatchOptions } from "../source/list-watch.js";

/** A watch neither delivered anything nor ended in time. */
export class SilentWatchError extends Error {
  override readonly name = "SilentWatchError";
}

export interface OpenWatchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Servers that send bookmarks do so every minute; after one was seen, a silence of this length means a dead connection. */
  readonly silenceMs: number;
}

/** The tolerance beyond the time after which the server promised to end the watch. */
const graceMs = 30_000;

export class OpenWatch<T> implements Disposable {
  readonly startedFrom: string;
  /** Not the time of acceptance: some proxies pass on the head of an answer only with the first event. */
  readonly dialledAtMs: number;
  events = 0;
  readonly #iterator: AsyncIterator<readonly SourceEvent<T>[]>;
  readonly #link: LinkedAbort;
  readonly #options: OpenWatchOptions;
  /** A silence of this length ends the watch. */
  #limitMs: number;
  #pushedBack: readonly SourceEvent<T>[] | undefined;
  #lastActivityMs: number;
  #bookmarkSeen = false;
  #watchdog: Timer;
  /** Ends the pending `next`. One function for all of them, because a busy watch has thousands. */
  #interrupt: ((reason: Error) => void) | undefined;

  private constructor(
    iterator: AsyncIterator<readonly SourceEvent<T>[]>,
    link: LinkedAbort,
    asked: SourceWatchOptions,
    options: OpenWatchOptions & { readonly dialledAtMs: number },
  ) {
    this.#iterator = iterator;
    this.#link = link;
    this.#options = options;
    this.startedFrom = asked.resourceVersion ?? "";
    this.#limitMs = (asked.timeoutSeconds ?? 0) * 1000 + graceMs;
    this.dialledAtMs = options.dialledAtMs;
    this.#lastActivityMs = options.clock.monotonic();
    this.#watchdog = this.#arm(this.#limitMs);
    onAbort(link.signal, (reason) => this.#interrupt?.(reason));
  }

  /** Rejects if the server refuses; then nothing is left open. */
  static async open<T>(
    source: ListerWatcher<T>,
    asked: SourceWatchOptions,
    options: OpenWatchOptions,
  ): Promise<OpenWatch<T>> {
    const link = linkedAbort(options.signal);
    const dialledAtMs = options.clock.monotonic();
    try {
      const batches = await abortable(source.watch(asked, link.signal), link.signal);
      return new OpenWatch(batches[Symbol.asyncIterator](), link, asked, { ...options, dialledAtMs });
    } catch (error) {
      link.abort();
      link[Symbol.dispose]();
      throw error;
    }
  }

  /** The next events, or undefined when the server has ended the watch. */
  async next(): Promise<readonly SourceEvent<T>[] | undefined> {
    const pushedBack = this.#pushedBack;
    if (pushedBack !== undefined) {
      this.#pushedBack = undefined;
      return pushedBack;
    }
    if (this.#link.signal.aborted) throw abortReason(this.#link.signal);
    const result = await new Promise<IteratorResult<readonly SourceEvent<T>[]>>((resolve, reject) => {
      this.#interrupt = reject;
      this.#iterator.next().then(resolve, reject);
    });
    if (result.done === true) return undefined;
    this.#lastActivityMs = this.#options.clock.monotonic();
    return result.value;
  }

  /** Takes events back that were read too early; `next` gives them again. */
  pushBack(events: readonly SourceEvent<T>[]): void {
    if (events.length > 0) this.#pushedBack = events;
  }

  /** From now on silence is suspicious. */
  bookmarkSeen(): void {
    if (this.#bookmarkSeen) return;
    this.#bookmarkSeen = true;
    this.#watchdog[Symbol.dispose]();
    this.#limitMs = Math.min(this.#options.silenceMs, this.#limitMs);
    this.#watchdog = this.#arm(this.#limitMs);
  }

  /** True if it has lasted less than a second. */
  get isBrief(): boolean {
    return this.durationMs < 1000;
  }

  get durationMs(): number {
    return this.#options.clock.monotonic() - this.dialledAtMs;
  }

  [Symbol.dispose](): void {
    this.#watchdog[Symbol.dispose]();
    this.#link.abort();
    this.#link[Symbol.dispose]();
    // not awaited: a source that ignores its signal must not hold up the reflector
    this.#iterator.return?.().then(
      () => {},
      () => {},
    );
  }

  #arm(waitMs: number): Timer {
    return this.#options.clock.timer(waitMs, () => {
      const silentMs = this.#options.clock.monotonic() - this.#lastActivityMs;
      if (silentMs < this.#limitMs) this.#watchdog = this.#arm(this.#limitMs - silentMs);
      else this.#link.abort(new SilentWatchError(`nothing came for ${Math.round(silentMs)} ms`));
    });
  }
}
