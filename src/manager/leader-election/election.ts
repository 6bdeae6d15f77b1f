/** The rules of the election as pure steps: take observations and their times, give the record to write and whether we lead. */
import { deepEqual, formatMicroTime, type Lease } from "../../api/index.js";
import type { LeaseSpec } from "./lease.js";

export interface ElectionRules {
  readonly identity: string;
  /** The time for which the others leave an unchanged lease alone. */
  readonly leaseDurationMs: number;
  /** The time for which the leader tries to renew before it gives up. */
  readonly renewDeadlineMs: number;
  /** The pause between two tries. */
  readonly retryPeriodMs: number;
  /** True if a coordinator on the server chooses the leader: we take the lease only if it names us. */
  readonly coordinated?: boolean;
}

/** Waits between tries to acquire are uniform in [retryPeriod, retryPeriod × (1 + this)). */
export const jitterFactor = 1.2;

/** The problem with the rules; undefined if there is none. */
export function problemWith({
  identity,
  leaseDurationMs,
  renewDeadlineMs,
  retryPeriodMs,
}: ElectionRules): string | undefined {
  if (identity === "") return "the identity is empty";
  for (const [name, value] of Object.entries({ leaseDurationMs, renewDeadlineMs, retryPeriodMs })) {
    if (!(value > 0) || typeof value !== "number") return `${name} must be greater than zero, not ${value}`;
  }
  if (leaseDurationMs % 1000 !== 0) return "leaseDurationMs must be whole seconds: a lease cannot say anything else";
  if (!(leaseDurationMs > renewDeadlineMs)) return "leaseDurationMs must be greater than renewDeadlineMs";
  if (!(renewDeadlineMs > jitterFactor * retryPeriodMs)) {
    return `renewDeadlineMs must be greater than retryPeriodMs × ${jitterFactor}`;
  }
  return undefined;
}

/**
 * All times are of our own monotonic clock. Times in the lease are never compared with ours, so wall clocks may be
 * wrong; only the speeds of the clocks must not differ by more than the ratio of leaseDuration to the leader's own
 * limit.
 *
 * Invariants:
 * 1. `observedAt` is when `lease` was first seen with its present record.
 * 2. `term` is set only from an answer of the server that named us the holder, and `renewedAt` is when that request was
 *    *sent*.
 * 3. `highestEpoch` is the greatest number of transitions ever seen; -1 if no lease was.
 */
export interface ElectionState {
  readonly lease?: Lease;
  readonly observedAt: number;
  readonly highestEpoch: number;
  readonly term?: Term;
}

export interface Term {
  /** The lease's transitions, greater than that of every earlier leader: the fencing token. */
  readonly epoch: number;
  readonly renewedAt: number;
}

export const nothingSeen: ElectionState = { observedAt: Number.NEGATIVE_INFINITY, highestEpoch: -1 };

/**
 * The time until which a term lasts by our own belief, unless it is renewed. It counts from the sending of the last
 * successful request: the others saw its effect later, and wait for the whole lease duration from then. The first
 * renewal follows after one retry period and is tried for the renew deadline, if that leaves the others' clocks a retry
 * period of room.
 */
export function termEndsAt({ renewedAt }: Term, rules: ElectionRules): number {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = rules;
  const roomy = Math.max(renewDeadlineMs, leaseDurationMs - retryPeriodMs);
  return renewedAt + Math.min(retryPeriodMs + renewDeadlineMs, roomy);
}

/** True while nobody else can lead. The answer is right even for a process that was suspended for a minute. */
export function isLeading(state: ElectionState, rules: ElectionRules, now: number): boolean {
  return state.term !== undefined && now < termEndsAt(state.term, rules);
}

/** The state after the server answered with this lease. */
export function observe(state: ElectionState, lease: Lease, now: number): ElectionState {
  const changed = state.lease === undefined || !deepEqual(state.lease.spec, lease.spec);
  const highestEpoch = Math.max(state.highestEpoch, lease.spec?.leaseTransitions ?? 0);
  return { ...state, lease, observedAt: changed ? now : state.observedAt, highestEpoch };
}

/** The state after the server accepted our record; `sentAt` is when the request went out. */
export function accepted(
  state: ElectionState,
  lease: Lease,
  { sentAt, now }: { readonly sentAt: number; readonly now: number },
): ElectionState {
  const term: Term = { epoch: lease.spec?.leaseTransitions ?? 0, renewedAt: sentAt };
  return { ...observe(state, lease, now), term };
}

export function lost(state: ElectionState): ElectionState {
  const { term: _, ...seen } = state;
  return seen;
}

/** True if another holds the lease and its duration has not run out since we last saw it change. */
export function isHeldByOther({ lease, observedAt }: ElectionState, { identity }: ElectionRules, now: number): boolean {
  const spec = lease?.spec;
  if (!spec?.holderIdentity || spec.holderIdentity === identity) return false;
  return now < observedAt + (spec.leaseDurationSeconds ?? 0) * 1000;
}

/** Whether the lease as last seen (in a coordinated election: the coordinator) allows us to hold it. */
export function mayHold(state: ElectionState, rules: ElectionRules, now: number): boolean {
  if (rules.coordinated !== true) return !isHeldByOther(state, rules, now);
  return state.lease?.spec?.holderIdentity === rules.identity && !isOtherPreferred(state, rules);
}

/** True if the coordinator asks the holder to let another lead. */
export function isOtherPreferred({ lease }: ElectionState, { identity, coordinated }: ElectionRules): boolean {
  const { preferredHolder = "" } = lease?.spec ?? {};
  return coordinated === true && preferredHolder !== "" && preferredHolder !== identity;
}

/**
 * The record to write over the lease as last seen: a renewal if we hold it, otherwise a take-over with the next epoch.
 * A coordinator that names a holder clears the acquire time and leaves the epoch to the holder. `wallMs` is for people
 * who read the lease, and for the coordinator, which has nothing else. Unknown fields are kept.
 */
export function nextRecord({ lease, highestEpoch }: ElectionState, rules: ElectionRules, wallMs: number): LeaseSpec {
  const { identity, leaseDurationMs } = rules;
  const old = lease?.spec;
  const now = formatMicroTime(wallMs * 1000);
  const renewal = old?.holderIdentity === identity && old.acquireTime !== undefined;
  return {
    ...old,
    holderIdentity: identity,
    leaseDurationSeconds: leaseDurationMs / 1000,
    acquireTime: renewal ? old.acquireTime : now,
    renewTime: now,
    leaseTransitions: renewal ? (old.leaseTransitions ?? 0) : highestEpoch + 1,
  };
}

/** The record of a new lease. If a lease that we saw is gone, its epochs are continued. */
export function firstRecord(state: ElectionState, rules: ElectionRules, wallMs: number): LeaseSpec {
  const { lease: _, ...gone } = state;
  return nextRecord(gone, rules, wallMs);
}

/** The record of a released lease: nobody holds it, and it runs out in a second. The epoch stays, so the next one is greater. */
export function releasedRecord(lease: Lease, wallMs: number): LeaseSpec {
  const now = formatMicroTime(wallMs * 1000);
  return { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}
