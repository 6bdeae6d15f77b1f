/** Places in the code that other programs can follow through `node:diagnostics_channel`. */
import { type Channel, channel, type TracingChannel, tracingChannel } from "node:diagnostics_channel";

/**
 * Work with a beginning and an end, published on the tracing channel of this name. While nobody follows it, it costs a
 * comparison: the facts are not even made.
 */
export class TracePoint<Facts extends object> {
  readonly #channel: TracingChannel<unknown, Facts>;

  constructor(name: string) {
    this.#channel = tracingChannel(name);
  }

  get isFollowed(): boolean {
    return this.#channel.hasSubscribers;
  }

  /** Does the work; followers find its `result` or `error` among the facts afterwards. */
  around<R>(facts: () => Facts, work: (facts: Facts | undefined) => Promise<R>): Promise<R> {
    if (!this.isFollowed) return work(undefined);
    const told = facts();
    return this.#channel.tracePromise(() => work(told), told);
  }

  /** The same for work that ends at once. */
  aroundSync<R>(facts: () => Facts, work: () => R): R {
    return this.isFollowed ? this.#channel.traceSync(work, facts()) : work();
  }
}

/** Something that has happened, published on the channel of this name. */
export class TraceSignal<Facts extends object> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(name);
  }

  tell(facts: () => Facts): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(facts());
  }
}
