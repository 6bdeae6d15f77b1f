/**
 * The systematic search: takes the history without faults, gives one plan for each single fault that may change its
 * outcome. Pure.
 */
import type { JournalEntry } from "../../../controller/index.js";
import type { Moment, PlannableFault, Plan, PlannedFault, Profile } from "../plan.js";
import type { Entry } from "../record.js";

/** The parts of the history without faults from which the search makes its plans. */
export interface Studied {
  readonly entries: readonly Entry[];
  readonly profile: Pick<Profile, "writes" | "events">;
}

/** A version of an object that a reconcile has read from its cache. */
interface CacheRead {
  /** The event that brought the version. */
  readonly event: number;
  /** The read is stale if the event is held back for longer. */
  readonly afterMs: number;
}

export interface Systematic {
  readonly plans: readonly Plan[];
  readonly reads: readonly CacheRead[];
  /** The number of single faults that the history shows to make no difference. */
  readonly pruned: number;
}

type EventEntry = Extract<Entry, { readonly type: "event" }>;

/** Longer than an operator takes for its immediate reactions. */
const heldMs = 5_000;
/** More than the way of an event takes. */
const slackMs = 20;
/** The most spells for which one event is held back. */
const mostSpells = 6;

/**
 * Strikes every write: a crash before and after it, its answer lost (with caches that know of the write, and with
 * caches that lag), a restart into the past after it, a conflict, somebody else's write just before it. Holds back every event that a reconcile depends on:
 * past each later event of another kind that the same key depends on, past each reconcile that read its object, and for
 * long; and lets it never be seen. The order interleaves the kinds, so that a search that is cut short has tried all of
 * them.
 *
 * Leaves out events that no reconcile has read or was caused by, and the crash before a write that directly follows
 * another: a crash after that one is the same. Operators without a journal of reconciles are taken to depend on every
 * event.
 */
export function systematicPlans(kinds: readonly PlannableFault[], { entries, profile }: Studied): Systematic {
  const known = new Set(kinds.map(({ name }) => name));
  const plans: (readonly PlannedFault[])[] = [];
  let pruned = 0;
  const add = (...faults: readonly PlannedFault[]): void => {
    if (faults.every(({ fault }) => known.has(fault))) plans.push(faults);
  };
  const { spells, reads } = dependencies(entries);
  const following = followingWrites(entries);
  for (let number = 0; number < Math.max(profile.writes, profile.events); number++) {
    if (number < profile.writes) {
      const at: Moment = { on: "write", number };
      add({ fault: "crash-after-write", at, forMs: 0 });
      if (following.has(number)) pruned += 1;
      else add({ fault: "crash-before-write", at, forMs: 0 });
      add({ fault: "lose-answer", at });
      add({ fault: "lag", at, forMs: heldMs }, { fault: "lose-answer", at });
      add({ fault: "time-travel", at, forMs: heldMs, choice: 0 });
      add({ fault: "conflict", at });
      add({ fault: "child-annotated", at, choice: 0 });
    }
    if (number >= profile.events) continue;
    const at: Moment = { on: "event", number };
    const held = spells === undefined ? [] : spells.get(number);
    if (held === undefined) {
      pruned += 2;
      continue;
    }
    for (const forMs of held) add({ fault: "lag", at, forMs });
    add({ fault: "lag", at, forMs: heldMs });
    add({ fault: "unobserved", at, forMs: heldMs });
  }
  return { plans: plans.map((faults, index) => ({ seed: `systematic-${index}`, faults })), reads, pruned };
}

/** The writes before which the operator has seen and heard nothing since its write before. */
function followingWrites(entries: readonly Entry[]): ReadonlySet<number> {
  const following = new Set<number>();
  let last: string | undefined;
  for (const entry of entries) {
    if (entry.type === "event" || entry.type === "life") last = undefined;
    if (entry.type !== "request" || entry.write === undefined) continue;
    if (last === entry.actor) following.add(entry.write);
    last = entry.actor;
  }
  return following;
}

interface Dependencies {
  /** The spells for which each event is held back; undefined if the operator keeps no journal. */
  readonly spells: ReadonlyMap<number, readonly number[]> | undefined;
  readonly reads: readonly CacheRead[];
}

function dependencies(entries: readonly Entry[]): Dependencies {
  const events = entries.filter((entry) => entry.type === "event");
  const byRevision = new Map(events.map((event) => [event.revision, event]));
  const byKey = new Map<string, Set<EventEntry>>();
  const reads: CacheRead[] = [];
  const spells = new Map<number, Set<number>>();
  const hold = (event: EventEntry, pastMs: number): void => {
    const forMs = pastMs - event.atMs + slackMs;
    spells.set(event.number, (spells.get(event.number) ?? new Set()).add(forMs));
  };
  let isKept = false;
  for (const entry of entries) {
    if (entry.type !== "reconcile") continue;
    isKept = true;
    const id = `${entry.run.controller} ${entry.run.key}`;
    const needed = byKey.get(id) ?? new Set();
    byKey.set(id, needed);
    for (const event of events) if (event.atMs <= entry.atMs && isNeeded(event, entry.run)) needed.add(event);
    for (const { revision } of entry.run.reads) {
      const event = byRevision.get(revision);
      if (event === undefined || event.atMs > entry.atMs) continue;
      reads.push({ event: event.number, afterMs: entry.atMs - event.atMs });
      hold(event, entry.atMs);
    }
  }
  for (const needed of byKey.values()) {
    for (const event of needed) {
      if (!spells.has(event.number)) spells.set(event.number, new Set());
      for (const later of needed)
        if (later.resource !== event.resource && later.atMs > event.atMs) hold(event, later.atMs);
    }
  }
  return { spells: isKept ? new Map([...spells].map(([number, all]) => [number, fewest(all)])) : undefined, reads };
}

/** Whether the reconcile was about the event's object, read it or a list that may have it, or was caused by it. */
function isNeeded({ kind, key, revision }: EventEntry, run: JournalEntry): boolean {
  return (
    run.key === key ||
    run.reads.some(
      (read) => read.kind === kind && (read.key === key || read.revision === revision || read.revision === ""),
    ) ||
    run.reasons.some((reason) => reason.kind === kind && reason.key === key)
  );
}

/** The shortest spells, without spells that are nearly the same or as long as the long one. */
function fewest(spells: ReadonlySet<number>): readonly number[] {
  const kept: number[] = [];
  for (const forMs of [...spells].toSorted((a, b) => a - b))
    if (forMs < heldMs && forMs > (kept.at(-1) ?? -slackMs) + slackMs) kept.push(forMs);
  return kept.slice(0, mostSpells);
}
