/** Shares the shards of a group between processes: drives the rules of group.ts with a client and a clock. */
import { isNotFound, type Lease } from "../../api/index.js";
import {
  type Clock,
  type Logger,
  type MetricsRegistry,
  OutageLog,
  type Random,
  type Running,
  startRunning,
  type Timer,
} from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import { defaultIdentity, type LeaseName, problemWith, termEndsAt } from "../leader-election/index.js";
import {
  decide,
  emptyView,
  forgotten,
  type GroupRules,
  type GroupView,
  holderOf,
  viewAfter,
  shardLease,
} from "./group.js";
import { type GroupClient, GroupLeases } from "./leases.js";
import { type Acquisitions, Holds, type ShardPass } from "./holds.js";

export interface SharderOptions {
  /** The name of the group's Leases begins with this name. */
  readonly lease: LeaseName;
  readonly leases: GroupClient;
  readonly shards: number;
  readonly layout: string;
  readonly identity?: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Called with the Lease of the whole group whenever it was read. Must not throw. */
  readonly onLease?: (lease: Lease) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: MetricsRegistry;
}

/** Requests for shards that are under way at the same time. */
const atATime = 16;

/**
 * A member keeps one Lease alive, and holds a shard if the shard's Lease names it. The shard's Lease is written when the
 * holder changes, and never to renew it: its holder's Lease vouches for it. Belief is a function of the clock, as in a
 * leader election: it counts from the sending of the last accepted renewal, and ends before the others may take over. A
 * member whose belief has ended gives up all its shards, and must win each Lease anew: so a shard is never won from a
 * member that has come back.
 *
 * Promises: together the members reconcile everything; a shard goes to another only when its runs have ended; late
 * writes are refused, and no key is an orphan.
 */
export class Sharder {
  readonly identity: string;
  readonly lease: LeaseName;
  readonly shards: number;
  readonly #options: SharderOptions;
  readonly #rules: GroupRules & { readonly renewDeadlineMs: number; readonly retryPeriodMs: number };
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #outage: OutageLog;
  readonly #leases: GroupLeases;
  readonly #holds = new Holds(
    () => this.#isValid,
    () => this.#lossListeners.forEach((tell) => tell()),
  );
  /** Shards on their way to another member, until their Leases are released: they are not taken again meanwhile. */
  readonly #givingAway = new Map<number, Promise<void>>();
  readonly #listeners = new Set<(has: (shard: number) => boolean) => void>();
  readonly #lossListeners = new Set<() => void>();
  #view: GroupView = emptyView;
  /** Our own Lease as the server has it. */
  #own: Lease | undefined;
  /** When the last accepted renewal, and the last answered list, were sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The number of times that belief ended. */
  #epoch = 0;
  readonly #stopping = new AbortController();
  #expiry: Timer | undefined;
  #failure: unknown;
  #otherLayout: string | undefined;

  constructor(options: SharderOptions) {
    const {
      lease,
      shards,
      layout,
      leaseDurationMs = 15_000,
      renewDeadlineMs = 10_000,
      retryPeriodMs = 2_000,
    } = options;
    this.identity = options.identity ?? defaultIdentity(options.random);
    const { identity } = this;
    this.#rules = { name: lease.name, identity, shards, layout, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    const problem = problemWith(this.#rules);
    if (problem !== undefined) throw new Error(`sharding ${lease.namespace}/${lease.name}: ${problem}`);
    this.lease = lease;
    this.shards = shards;
    this.#options = options;
    this.#clock = options.clock;
    this.#leases = new GroupLeases(options.leases, { ...this.#rules, namespace: lease.namespace }, this.#clock);
    this.#log = options.log.child({ group: `${lease.namespace}/${lease.name}`, identity });
    this.#outage = new OutageLog({
      logger: this.#log,
      clock: this.#clock,
      failing: "the leases of the group cannot be read or written",
      over: "the leases of the group can be read and written again",
    });
    this.#report(options.metrics);
  }

  /** The shards that this process holds now, by its own belief. */
  get held(): readonly number[] {
    return [...this.#holds.shards].filter((shard) => this.#holds.has(shard));
  }

  /** The shards whose objects may be read here, also while they are being given away. */
  get acquisitions(): Acquisitions {
    return new Map(this.#holds.acquisitions);
  }

  /** True if the shard is among the acquisitions. */
  isHeld(shard: number): boolean {
    return this.#holds.acquisitions.has(shard);
  }

  /** The time for which our shards are safe, for the fence; undefined if none is. */
  get term(): { readonly epoch: number; readonly leftMs: number } | undefined {
    return this.#isValid ? { epoch: this.#epoch, leftMs: this.#validUntil - this.#clock.monotonic() } : undefined;
  }

  /** The error of the last attempt to read or write a Lease; undefined if the server answered it. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The layout of the others, if they must end before this process can take part. */
  get otherLayout(): string | undefined {
    return this.#otherLayout;
  }

  /** After this time a member that was cut off has stopped by its own belief, and its shards may be taken. */
  get takeOverMs(): number {
    return this.#rules.leaseDurationMs;
  }

  enter(shard: number): ShardPass | undefined {
    return this.#holds.enter(shard);
  }

  /** Called after shards were won, with a function that says which. */
  onAcquired(tell: (has: (shard: number) => boolean) => void): Disposable {
    this.#listeners.add(tell);
    return { [Symbol.dispose]: () => void this.#listeners.delete(tell) };
  }

  /** Called after shards were lost or given away. */
  onLost(tell: () => void): Disposable {
    this.#lossListeners.add(tell);
    return { [Symbol.dispose]: () => void this.#lossListeners.delete(tell) };
  }

  /** Takes part until disposed. Disposing waits for the runs in flight, releases the shards, and leaves the group. */
  start(parent?: AbortSignal): Running {
    return startRunning(async (signal) => {
      try {
        await Promise.all([this.#renewAlways(signal), this.#shareAlways(signal)]);
      } finally {
        await this.#leave();
      }
    }, parent);
  }

  /** A list that is old may hide that a shard's Lease was deleted or taken. */
  get #validUntil(): number {
    return termEndsAt({ epoch: this.#epoch, renewedAt: Math.min(this.#renewedAt, this.#confirmedAt) }, this.#rules);
  }

  /** The time between the end of our belief and the moment at which others may take over. */
  get #gapMs(): number {
    const { leaseDurationMs } = this.#rules;
    return leaseDurationMs - termEndsAt({ epoch: 0, renewedAt: 0 }, this.#rules);
  }

  /** True while the others see us live. */
  get #isMember(): boolean {
    return this.#clock.monotonic() < termEndsAt({ epoch: this.#epoch, renewedAt: this.#renewedAt }, this.#rules);
  }

  get #isValid(): boolean {
    return this.#clock.monotonic() < this.#validUntil;
  }

  /** Another beat than that of others keeps a group from asking all at once. */
  async #pause(signal: AbortSignal): Promise<boolean> {
    const { retryPeriodMs } = this.#rules;
    try {
      await this.#clock.sleep(retryPeriodMs * (0.8 + 0.4 * this.#options.random.next()), signal);
      return true;
    } catch {
      return false;
    }
  }

  async #renewAlways(signal: AbortSignal): Promise<void> {
    do await this.#attempt((limited) => this.#renew(limited), signal);
    while (await this.#pause(signal));
  }

  async #shareAlways(signal: AbortSignal): Promise<void> {
    while (await this.#pause(signal))
      if (this.#isMember) await this.#attempt((limited) => this.#share(limited), signal);
  }

  /** A failure is remembered and logged; the next round tries again. */
  async #attempt(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    using limit = timeLimit(this.#clock, Math.max(1000, this.#rules.renewDeadlineMs / 2), "timed out", signal);
    try {
      await work(limit.signal);
      this.#failure = undefined;
      this.#outage.worked();
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = error;
      this.#outage.failed({ error });
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const sentAt = this.#clock.monotonic();
    this.#own = await this.#leases.renew(this.#own, signal);
    if (!this.#isMember) this.#lapse();
    this.#renewedAt = sentAt;
    this.#watchExpiry();
  }

  #watchExpiry(): void {
    this.#expiry?.[Symbol.dispose]();
    if (!this.#isValid) return;
    this.#expiry = this.#clock.timer(this.#validUntil - this.#clock.monotonic(), () => {
      if (!this.#isValid) this.#lapse();
    });
  }

  /** One look at the group: gives away the shards of others, and takes the free ones that are ours. */
  async #share(signal: AbortSignal): Promise<void> {
    const askedAt = this.#clock.monotonic();
    const leases = await this.#options.leases.list(signal);
    if (!this.#isValid) this.#lapse();
    this.#view = viewAfter(this.#view, leases, { rules: this.#rules, askedAt, now: this.#clock.monotonic() });
    this.#confirmedAt = askedAt;
    this.#watchExpiry();
    if (!this.#isValid) return;
    const group = this.#view.leases.get(this.lease.name)?.lease;
    if (group !== undefined) this.#options.onLease?.(group);
    this.#loseTaken();
    const { acquire, remake, release, setLayout, otherLayout } = decide(this.#view, this.#rules, this.#holds.shards);
    this.#sayLayout(otherLayout);
    if (setLayout) {
      if (await this.#leases.setLayout(group, signal)) await this.#share(signal);
      return;
    }
    for (const shard of release) if (!this.#givingAway.has(shard)) this.#giveAway(shard);
    for (const shard of remake) await this.#leases.remake(shard, signal);
    await this.#acquireAll(
      acquire.filter((shard) => !this.#givingAway.has(shard)),
      signal,
    );
    await Promise.all(forgotten(this.#view).map((lease) => this.#options.leases.delete(lease, signal).catch(() => {})));
  }

  /** A shard whose Lease names another is lost, however that came about. */
  #loseTaken(): void {
    const taken = [...this.#holds.shards].filter((shard) => {
      const found = this.#view.leases.get(shardLease(this.#rules, shard))?.lease;
      return found === undefined || holderOf(found) !== this.identity;
    });
    if (taken.length === 0) return;
    this.#log.warn("shards were taken from this replica", { shards: taken });
    this.#holds.lose(taken, "another replica has the shard");
  }

  #sayLayout(other: string | undefined): void {
    if (other !== undefined && other !== this.#otherLayout)
      this.#log.warn("the group works with another layout; this replica waits until its members have ended", {
        layout: this.#rules.layout,
        other,
      });
    this.#otherLayout = other;
  }

  /** All attempts end, and listeners are told of the shards that were won, before the first failure is thrown. */
  async #acquireAll(shards: readonly number[], signal: AbortSignal): Promise<void> {
    const won = new Set<number>();
    const failures: unknown[] = [];
    for (let i = 0; i < shards.length && failures.length === 0; i += atATime) {
      const attempts = shards.slice(i, i + atATime).map(async (shard) => {
        if (await this.#acquire(shard, signal)) won.add(shard);
      });
      for (const attempt of await Promise.allSettled(attempts))
        if (attempt.status === "rejected") failures.push(attempt.reason);
    }
    if (won.size > 0) {
      this.#log.info("acquired shards", { shards: [...won] });
      for (const tell of this.#listeners) tell((shard) => won.has(shard) && this.#holds.has(shard));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #acquire(shard: number, signal: AbortSignal): Promise<boolean> {
    const epoch = this.#epoch;
    const known = this.#view.leases.get(shardLease(this.#rules, shard))?.lease;
    // if another member was first, or an answer of ours got lost, the next list shows it
    if (!(await this.#leases.take(shard, known, signal))) return false;
    // an answer that came too late says nothing: the shard may be another's by now
    if (!this.#isValid || epoch !== this.#epoch) return false;
    this.#holds.add(shard);
    return true;
  }

  /** Releases a shard once its last run has ended; a run that takes longer than the renew deadline is aborted. */
  #giveAway(shard: number): void {
    const isHeld = this.#holds.shards.has(shard);
    let wasHurried = false;
    const late = this.#clock.timer(this.#rules.renewDeadlineMs, () => {
      wasHurried = true;
      this.#holds.hurry(shard, `shard ${shard} goes to another replica`);
    });
    const released = this.#holds.drain(shard).then(async (isOurs) => {
      late[Symbol.dispose]();
      // a write of the aborted run may still be on its way, as at the end of a term
      if (wasHurried) await this.#clock.sleep(this.#gapMs, this.#stopping.signal).catch(() => {});
      if (isOurs || !isHeld) await this.#release(shard);
    });
    // a release that fails is tried again when the next list shows our name
    const given = released
      .catch((error: unknown) => this.#log.debug("a shard could not be released", { shard, error }))
      .finally(() => this.#givingAway.delete(shard));
    this.#givingAway.set(shard, given);
  }

  async #release(shard: number): Promise<void> {
    using limit = timeLimit(this.#clock, this.#rules.renewDeadlineMs, "timed out");
    await this.#leases.release(shard, limit.signal);
    this.#log.debug("released a shard", { shard });
  }

  #lapse(): void {
    this.#epoch += 1;
    const shards = [...this.#holds.shards];
    if (shards.length > 0) this.#log.warn("the lease of this replica has run out: its shards are lost", { shards });
    this.#holds.lose(shards, `lost the lease of ${this.lease.namespace}/${this.lease.name}`);
  }

  /** Others take over released shards at once, and the rest after a lease's duration. */
  async #leave(): Promise<void> {
    this.#stopping.abort();
    this.#expiry?.[Symbol.dispose]();
    try {
      const shards = [...this.#holds.shards];
      const drained = await Promise.all(shards.map((shard) => this.#holds.drain(shard)));
      const releases = shards.filter((_, i) => drained[i]).map((shard) => this.#release(shard));
      // a stop waits for all of its requests, also if one has failed
      await Promise.allSettled([...releases, ...this.#givingAway.values()]);
      await Promise.all(releases);
      using limit = timeLimit(this.#clock, this.#rules.renewDeadlineMs, "timed out");
      if (this.#own !== undefined) await this.#leases.leave(limit.signal);
    } catch (error) {
      if (!isNotFound(error)) this.#log.warn("could not leave the group; its leases will run out", { error });
    }
    this.#renewedAt = Number.NEGATIVE_INFINITY;
  }

  #report(metrics: MetricsRegistry | undefined): void {
    if (metrics === undefined) return;
    const labels = ["name"] as const;
    const of = { name: this.lease.name };
    const held = metrics
      .gauge({ name: "coxswain_shards_held", help: "Shards that this process holds", labels })
      .with(of);
    const members = metrics
      .gauge({ name: "coxswain_shard_members", help: "Live members of the group, as this process sees them", labels })
      .with(of);
    const help = "1 if the last try to acquire or renew the lease failed, 0 if the server answered it";
    const failing = metrics.gauge({ name: "coxswain_lease_failing", help, labels }).with(of);
    metrics.beforeExpose(() => {
      held.set(this.held.length);
      members.set(decide(this.#view, this.#rules, new Set()).members.length);
      failing.set(this.#failure === undefined ? 0 : 1);
    });
  }
}
