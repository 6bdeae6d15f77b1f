/** Competes for a Lease: drives the rules of election.ts with a client and a clock, and calls back when to lead. */
import { hostname } from "node:os";
import { isConflict, isNotFound, type Lease } from "../../api/index.js";
import {
  type Clock,
  type CounterSeries,
  type GaugeSeries,
  linkedAbort,
  type Logger,
  type MetricsRegistry,
  onAbort,
  OutageLog,
  type Random,
  type Running,
  silentLogger,
  startRunning,
  systemClock,
  systemRandom,
} from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import { type CoordinatedElection, LeaseCandidacy, problemWithCandidate } from "./candidacy.js";
import * as election from "./election.js";
import type { EndedTerm } from "./ended-term.js";
import { type LeaseClient, type LeaseName, newLease } from "./lease.js";

export interface LeaderTerm {
  /** Greater than the epoch of every earlier leader: a fencing token. */
  readonly epoch: number;
  /** Aborts when the lease is lost or the elector is stopped. The leader must then end its work. */
  readonly signal: AbortSignal;
}

export interface LeaderCallbacks {
  /** Called when we lead. The elector waits for its end before it competes again or releases the lease. */
  onStartedLeading?(term: LeaderTerm): Promise<void> | void;
  /** Called when a term has ended. Always called once more when the elector stops, even if it never led. */
  onStoppedLeading?(): void;
  /** Called when the holder of the lease changes, and for the first holder seen. "" after a release. */
  onNewLeader?(identity: string): void;
  /** Called with the Lease as the server has it, after each attempt to acquire or renew it. Must not throw. */
  onLease?(lease: Lease): void;
}

export interface LeaderElectorOptions {
  readonly lease: LeaseName;
  readonly leases: LeaseClient;
  /** Unique for each process. By default the host's name and a random number. */
  readonly identity?: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /**
   * The API server's coordinated election chooses the leader: the process is a candidate, leads once the Lease names
   * it, and steps down when another is preferred. All processes that compete for the lease must use it.
   */
  readonly coordinated?: CoordinatedElection;
  /** Labels to set on the Lease; other labels are kept. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly callbacks?: LeaderCallbacks;
  /** Called with "… became leader" and "… stopped leading", to be recorded as events on the Lease. */
  readonly onEvent?: (lease: Lease, message: string) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
}

export function defaultIdentity(random: Random = systemRandom): string {
  const part = (): string =>
    random
      .int(2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return `${hostname()}_${part()}${part()}`;
}

/**
 * At most one elector of a lease leads at a time, by its own belief, however the clocks are set, if their speeds are
 * about the same. Losing the lease ends the term, not the elector: it competes again once `onStartedLeading` has ended.
 */
export class LeaderElector {
  readonly identity: string;
  readonly lease: LeaseName;
  readonly #rules: election.ElectionRules;
  readonly #options: LeaderElectorOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #outage: OutageLog;
  readonly #status: GaugeSeries | undefined;
  readonly #failing: GaugeSeries | undefined;
  readonly #slowPath: CounterSeries | undefined;
  readonly #candidacy: LeaseCandidacy | undefined;
  #state: election.ElectionState = election.nothingSeen;
  #reportedLeader: string | undefined;
  /** The error of the last attempt to acquire or renew the lease; undefined if the server answered it. */
  #failure: unknown;
  #endedTerm: EndedTerm | undefined;

  constructor(options: LeaderElectorOptions) {
    const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000, lease, metrics } = options;
    this.#random = options.random ?? systemRandom;
    this.identity = options.identity ?? defaultIdentity(this.#random);
    const { identity } = this;
    const { coordinated } = options;
    this.#rules = {
      identity,
      leaseDurationMs,
      renewDeadlineMs,
      retryPeriodMs,
      coordinated: coordinated !== undefined,
    };
    const problem = election.problemWith(this.#rules) ?? (coordinated && problemWithCandidate(identity, coordinated));
    if (problem !== undefined) throw new Error(`leader election ${lease.namespace}/${lease.name}: ${problem}`);
    this.lease = lease;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.log ?? silentLogger).child({
      lease: `${lease.namespace}/${lease.name}`,
      identity: this.identity,
    });
    this.#candidacy = this.#newCandidacy();
    this.#outage = new OutageLog({
      logger: this.#log,
      clock: this.#clock,
      failing: "could not acquire or renew the lease",
      over: "the lease can be acquired or renewed again",
    });
    const labels = ["name"] as const;
    this.#status = metrics
      ?.gauge({ name: "leader_election_master_status", help: "1 if this process leads, 0 if not", labels })
      .with({ name: lease.name });
    const help = "1 if the last try to acquire or renew the lease failed, 0 if the server answered it";
    this.#failing = metrics?.gauge({ name: "coxswain_lease_failing", help, labels }).with({ name: lease.name });
    this.#slowPath = metrics
      ?.counter({ name: "leader_election_slowpath_total", help: "Renewals that had to read the lease first", labels })
      .with({ name: lease.name });
  }

  #newCandidacy(): LeaseCandidacy | undefined {
    const { coordinated, leases } = this.#options;
    if (coordinated === undefined) return undefined;
    const { identity, lease } = this;
    const { candidates } = leases;
    if (candidates === undefined) {
      throw new Error(
        `leader election ${lease.namespace}/${lease.name}: coordinated, but its client of leases has no candidates`,
      );
    }
    return new LeaseCandidacy({ lease, identity, coordinated, candidates, clock: this.#clock, log: this.#log });
  }

  /** Whether we lead at this moment, by our own belief. */
  get isLeader(): boolean {
    return election.isLeading(this.#state, this.#rules, this.#clock.monotonic());
  }

  /** The holder as last seen; undefined before the first look. */
  get leader(): string | undefined {
    return this.#state.lease === undefined ? undefined : (this.#state.lease.spec?.holderIdentity ?? "");
  }

  /** The epoch of the present term, and the milliseconds that it lasts if it is not renewed; undefined if we do not lead. */
  get term(): { readonly epoch: number; readonly leftMs: number } | undefined {
    const { term } = this.#state;
    if (term === undefined || !this.isLeader) return undefined;
    return { epoch: term.epoch, leftMs: election.termEndsAt(term, this.#rules) - this.#clock.monotonic() };
  }

  /** The problem if we should have stepped down long ago and have not; for a liveness probe. */
  problem(toleranceMs = 20_000): string | undefined {
    const { term } = this.#state;
    const limitMs = this.#rules.leaseDurationMs + toleranceMs;
    if (term === undefined || this.#clock.monotonic() - term.renewedAt <= limitMs) return undefined;
    return `failed election to renew leadership on lease ${this.lease.name}`;
  }

  /** The end of this process's last term; undefined while no term has ended. */
  get endedTerm(): EndedTerm | undefined {
    return this.#endedTerm;
  }

  /** As `#failure`, for readiness. That another leads is no failure. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The error of keeping the LeaseCandidate, without which the coordinator cannot choose us; for readiness. */
  get candidacyFailure(): unknown {
    return this.#candidacy?.failure;
  }

  /** Competes until disposed. Disposing ends the term, waits for `onStartedLeading`, and releases the lease. */
  start(parent?: AbortSignal): Running {
    return startRunning(async (signal) => {
      const candidacy = this.#candidacy?.start();
      try {
        while (!signal.aborted) {
          await this.#acquire(signal);
          await this.#lead(signal, candidacy);
        }
      } finally {
        await candidacy?.close();
        this.#options.callbacks?.onStoppedLeading?.();
      }
    }, parent);
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    this.#log.info("attempting to acquire the leader lease");
    while (!(await this.#try(signal))) {
      const { retryPeriodMs } = this.#rules;
      await this.#clock.sleep(retryPeriodMs * (1 + election.jitterFactor * this.#random.next()), signal);
    }
  }

  /** One term: leads in the background and renews, until the lease is lost, or until a stop once leading has ended. */
  async #lead(signal: AbortSignal, candidacy: Running | undefined): Promise<void> {
    const epoch = this.#state.term?.epoch ?? 0;
    const stop = linkedAbort(signal);
    this.#status?.set(1);
    this.#event("became leader");
    this.#log.info("became leader", { epoch });
    const ended = new AbortController();
    const stopping = new Promise<void>((resolve) => void onAbort(stop.signal, () => resolve()));
    // a callback that returns early does not end the term; only a stop does, and the callback may then finish first
    const leading = Promise.all([this.#callLead({ epoch, signal: stop.signal }), stopping]).then(() => ended.abort());
    const end = await this.#renewUntil(epoch, ended.signal);
    if (end === "lost") this.#state = election.lost(this.#state);
    this.#endedTerm = { epoch, at: this.#clock.now(), why: end, failure: this.#failure };
    stop.abort(
      new Error(end === "lost" ? `lost the lease ${this.lease.namespace}/${this.lease.name}` : "stopped leading"),
    );
    this.#status?.set(0);
    await leading;
    stop[Symbol.dispose]();
    // the candidate goes first, or the coordinator might choose us again
    if (signal.aborted) await candidacy?.close();
    // so that another can lead at once
    if (end !== "lost") await this.#release();
    this.#state = election.lost(this.#state);
    this.#event("stopped leading");
    this.#log.info("stopped leading", { epoch, why: end });
    if (!signal.aborted) this.#options.callbacks?.onStoppedLeading?.();
  }

  async #callLead(term: LeaderTerm): Promise<void> {
    try {
      await this.#options.callbacks?.onStartedLeading?.(term);
    } catch (error) {
      if (!term.signal.aborted) this.#log.error("leading failed", { error });
    }
  }

  /**
   * Gives "stopped" if it ended by the signal while the lease was held, "replaced" if the coordinator prefers another.
   * The leader then has the rest of the term to end; if it hangs, the other leads all the same.
   */
  async #renewUntil(epoch: number, ended: AbortSignal): Promise<"stopped" | "lost" | "replaced"> {
    const held = (): "stopped" | "lost" => (this.isLeader ? "stopped" : "lost");
    for (;;) {
      const { term } = this.#state;
      // another epoch: the lease was lost and taken again in one attempt, which begins another term
      if (term?.epoch !== epoch) return "lost";
      const leftMs = election.termEndsAt(term, this.#rules) - this.#clock.monotonic();
      if (leftMs <= 0) return "lost";
      if (election.isOtherPreferred(this.#state, this.#rules)) return "replaced";
      try {
        await this.#clock.sleep(Math.min(this.#rules.retryPeriodMs, leftMs), ended);
      } catch {
        return held();
      }
      if (!this.isLeader) return "lost";
      await this.#renewOnce(ended);
      if (ended.aborted) return held();
    }
  }

  /** An attempt to renew that ends, at the latest, with the term. */
  async #renewOnce(ended: AbortSignal): Promise<void> {
    using limit = timeLimit(this.#clock, this.term?.leftMs ?? 0, "the term is over", ended);
    await this.#try(limit.signal);
  }

  /** Acquires or renews once. False if another holds the lease, or if the attempt failed. */
  async #try(signal: AbortSignal): Promise<boolean> {
    using limit = timeLimit(this.#clock, Math.max(1000, this.#rules.renewDeadlineMs / 2), "timed out", signal);
    try {
      const done = await this.#attempt(limit.signal);
      this.#failure = undefined;
      this.#failing?.set(0);
      this.#outage.worked();
      return done;
    } catch (error) {
      if (signal.aborted) return false;
      this.#failure = error;
      this.#failing?.set(1);
      this.#outage.failed({ error });
      return false;
    } finally {
      this.#reportLeader();
      if (this.#state.lease !== undefined) this.#options.callbacks?.onLease?.(this.#state.lease);
    }
  }

  async #attempt(signal: AbortSignal): Promise<boolean> {
    if (this.isLeader && this.#state.lease !== undefined) {
      if (await this.#write(this.#state.lease, signal).catch(() => false)) return true;
      this.#slowPath?.inc();
    }
    return this.#readAndWrite(signal);
  }

  async #readAndWrite(signal: AbortSignal): Promise<boolean> {
    let lease: Lease | undefined;
    try {
      lease = await this.#options.leases.get(signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (this.#rules.coordinated) return false;
      // the lease was deleted, but its holder does not know that yet
      if (election.isHeldByOther(this.#state, this.#rules, this.#clock.monotonic())) return false;
      return this.#write(undefined, signal);
    }
    this.#state = election.observe(this.#state, lease, this.#clock.monotonic());
    if (lease.spec?.holderIdentity !== this.identity) this.#state = election.lost(this.#state);
    if (!election.mayHold(this.#state, this.#rules, this.#clock.monotonic())) return false;
    return this.#write(lease, signal);
  }

  async #write(lease: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    const sentAt = this.#clock.monotonic();
    const wallMs = this.#clock.now();
    const { leases } = this.#options;
    const answer =
      lease === undefined
        ? await leases.create(
            newLease(this.#labelled(this.lease), election.firstRecord(this.#state, this.#rules, wallMs)),
            signal,
          )
        : await leases.update(
            {
              ...lease,
              metadata: this.#labelled(lease.metadata),
              spec: election.nextRecord(this.#state, this.#rules, wallMs),
            },
            signal,
          );
    this.#state = election.accepted(this.#state, answer, { sentAt, now: this.#clock.monotonic() });
    return this.isLeader;
  }

  /** Releases the lease only if a fresh read still names us, so that another's lease is never cleared. */
  async #release(): Promise<void> {
    using limit = timeLimit(this.#clock, this.#rules.renewDeadlineMs, "timed out");
    try {
      for (;;) {
        const lease = await this.#options.leases.get(limit.signal);
        if (lease.spec?.holderIdentity !== this.identity) return;
        try {
          const spec = election.releasedRecord(lease, this.#clock.now());
          await this.#options.leases.update({ ...lease, spec }, limit.signal);
          return;
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
    } catch (error) {
      this.#log.warn("could not release the lease; it will run out", { error });
    }
  }

  #reportLeader(): void {
    const { leader } = this;
    if (leader === undefined || leader === this.#reportedLeader) return;
    this.#reportedLeader = leader;
    this.#log.info("new leader", { leader });
    queueMicrotask(() => {
      try {
        this.#options.callbacks?.onNewLeader?.(leader);
      } catch (error) {
        this.#log.error("onNewLeader failed", { error });
      }
    });
  }

  #labelled(metadata: Lease["metadata"]): Lease["metadata"] {
    const { labels } = this.#options;
    return labels === undefined ? metadata : { ...metadata, labels: { ...metadata.labels, ...labels } };
  }

  #event(what: string): void {
    const { lease } = this.#state;
    if (lease !== undefined) this.#options.onEvent?.(lease, `${this.identity} ${what}`);
  }
}
