/** Hands every change to every listener. Takes changes from the process loop; the informer adds and removes listeners. */
import type { Changes } from "./handlers.js";
import type { ProcessorListener } from "./listener.js";

/**
 * Distribution is synchronous, and so is joining: a listener that is added gets what the store holds at that moment and
 * every change after it, with neither gap nor repetition.
 *
 * Invariants:
 * 1. While started, every listener that was not removed has a loop running.
 * 2. Once stopped, no listener is added.
 */
export class SharedProcessor<T> {
  readonly #listeners = new Map<ProcessorListener<T>, Promise<void> | undefined>();
  #state: "idle" | "started" | "stopped" = "idle";

  get listeners(): IterableIterator<ProcessorListener<T>> {
    return this.#listeners.keys();
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Syncs that a listener is not due for do not reach it. */
  distribute(changes: Changes<T>): void {
    for (const listener of this.#listeners.keys()) listener.enqueue(changes);
  }

  add(listener: ProcessorListener<T>): void {
    if (this.#state === "stopped") throw new Error("the processor has been stopped");
    this.#listeners.set(listener, this.#state === "started" ? listener.run() : undefined);
  }

  has(listener: ProcessorListener<T>): boolean {
    return this.#listeners.has(listener);
  }

  /** What waits for it is dropped at once; the promise waits for the call under way. Removing twice does nothing. */
  async remove(listener: ProcessorListener<T>): Promise<void> {
    const running = this.#listeners.get(listener);
    this.#listeners.delete(listener);
    listener.stop();
    await running;
  }

  start(): void {
    this.#state = "started";
    for (const listener of this.#listeners.keys()) this.#listeners.set(listener, listener.run());
  }

  /** Waits for the calls under way; what was still queued is dropped. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    for (const listener of this.#listeners.keys()) listener.stop();
    await Promise.all([...this.#listeners.values()].filter((running) => running !== undefined));
  }

  /** At each tick of the resync timer: true if any listener is due. Decides who is shown the syncs that follow. */
  shouldResync(nowMs: number): boolean {
    let due = false;
    for (const listener of this.#listeners.keys()) if (listener.resync.tick(nowMs)) due = true;
    return due;
  }

  checkPeriodChanged(checkMs: number): void {
    for (const listener of this.#listeners.keys()) listener.resync.checkPeriodChanged(checkMs);
  }
}
