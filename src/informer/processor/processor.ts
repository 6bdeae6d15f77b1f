/** Hands every change to every listener. */
import type { Changes } from "./handlers.js";
import type { ProcessorListener } from "./listener.js";

/**
 * Distribution is synchronous, and so is joining: a new listener gets the contents of the store at that moment and
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

  /** A listener does not get the syncs for which it is not due. */
  distribute(changes: Changes<T>): void {
    for (const listener of this.#listeners.keys()) listener.enqueue(changes);
  }

  add(listener: ProcessorListener<T>): void {
    if (this.#state === "stopped") throw new Error("the processor has been stopped");
    this.#listeners.set(listener, this.#state === "started" ? listener.run() : undefined);
  }

  /** Drops the listener's waiting changes at once; the promise waits for the call under way. Removing twice does nothing. */
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

  /** Waits for the calls under way; queued changes are dropped. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    for (const listener of this.#listeners.keys()) listener.stop();
    await Promise.all([...this.#listeners.values()].filter((running) => running !== undefined));
  }

  /** Called at each tick of the resync timer: true if any listener is due. Decides which listeners get the syncs that follow. */
  shouldResync(nowMs: number): boolean {
    let due = false;
    for (const listener of this.#listeners.keys()) if (listener.resync.tick(nowMs)) due = true;
    return due;
  }

  checkPeriodChanged(checkMs: number): void {
    for (const listener of this.#listeners.keys()) listener.resync.checkPeriodChanged(checkMs);
  }
}
