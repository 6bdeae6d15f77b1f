/** The view that a member has of its group, as pure steps: takes lists of Leases and their times, gives what to take and to give back. */
import { createHash } from "node:crypto";
import { deepEqual, type Lease } from "../../api/index.js";
import { planShards } from "./plan.js";

/** The label of all Leases of a group; its value is the group's name. */
export const groupLabel = "coxswain.dev/sharding";

export interface GroupRules {
  /** The name of the group, with which the names of its Leases begin. */
  readonly name: string;
  readonly identity: string;
  readonly shards: number;
  /** The number of shards and the rule by which objects get theirs, in words; members with another layout do not share. */
  readonly layout: string;
  /** The time for which the others leave the shards of a silent member alone. */
  readonly leaseDurationMs: number;
}

export const shardLease = ({ name }: Pick<GroupRules, "name">, shard: number): string => `${name}-shard-${shard}`;
/** An identity may have letters that a name may not. */
export const memberLease = ({ name }: Pick<GroupRules, "name">, identity: string): string =>
  `${name}-member-${createHash("sha256").update(identity).digest("hex").slice(0, 12)}`;

/**
 * All times are of our own monotonic clock; times in Leases are for people.
 *
 * Invariants:
 * 1. `since` of a lease is when an answer first had its present record.
 * 2. `absentSince` has the holders of shards that have no member Lease, from when an answer first showed it.
 * 3. `askedAt` is when the request of the newest answer was *sent*: the leases were like this at that time or later.
 * 4. `foundingSince` is set while this member founds the group: its first answer had no trace of a group, at that time, no
 *    answer since has shown another member, and not all shards have had their first Lease.
 */
export interface GroupView {
  readonly leases: ReadonlyMap<string, { readonly lease: Lease; readonly since: number }>;
  readonly absentSince: ReadonlyMap<string, number>;
  readonly foundingSince: number | undefined;
  readonly askedAt: number;
}

export const emptyView: GroupView = {
  leases: new Map(),
  absentSince: new Map(),
  foundingSince: undefined,
  askedAt: Number.NEGATIVE_INFINITY,
};

/** The view after the server answered with all Leases of the group. */
export function viewAfter(
  view: GroupView,
  leases: readonly Lease[],
  { rules, askedAt, now }: { readonly rules: GroupRules; readonly askedAt: number; readonly now: number },
): GroupView {
  const next = new Map(
    leases.map((lease) => {
      const { name } = lease.metadata;
      const known = view.leases.get(name);
      const isSame = known?.lease.metadata.uid === lease.metadata.uid && deepEqual(known?.lease.spec, lease.spec);
      return [name, { lease, since: isSame ? (known?.since ?? now) : now }] as const;
    }),
  );
  const members = new Set(leases.filter(isMember).map(holderOf));
  const absent = leases
    .filter(isShard)
    .map(holderOf)
    .filter((holder) => holder !== "" && !members.has(holder));
  const absentSince = new Map(absent.map((holder) => [holder, view.absentSince.get(holder) ?? now]));
  const isFirst = view.askedAt === Number.NEGATIVE_INFINITY;
  const isComplete = leases.filter(isShard).length >= rules.shards;
  const hasOthers = leases.some((lease) => (isFirst || isMember(lease)) && holderOf(lease) !== rules.identity);
  const foundingSince = hasOthers || isComplete ? undefined : isFirst ? now : view.foundingSince;
  return { leases: next, absentSince, foundingSince, askedAt };
}

export const holderOf = ({ spec }: Lease): string => spec?.holderIdentity ?? "";

const isMember = ({ metadata }: Lease): boolean => metadata.labels?.[roleLabel] === "member";
const isShard = ({ metadata }: Lease): boolean => metadata.labels?.[roleLabel] === "shard";

/** Tells the three sorts of Leases of a group apart: layout, member, shard. */
export const roleLabel = "coxswain.dev/sharding-role";
/** Marks the Lease of a shard that was made after the group was founded, until its holder takes it again. */
export const remadeAnnotation = "coxswain.dev/sharding-remade";
/** The layout of a member. */
export const layoutAnnotation = "coxswain.dev/sharding-layout";

interface Member {
  readonly identity: string;
  readonly lease: Lease;
  /** For how long it had been silent when the newest list was asked for. */
  readonly silentMs: number;
}

function membersOf({ leases, askedAt }: GroupView): readonly Member[] {
  return [...leases.values()]
    .filter(({ lease }) => isMember(lease))
    .map(({ lease, since }) => ({ identity: holderOf(lease), lease, silentMs: askedAt - since }));
}

const durationOf = ({ spec }: Lease): number => (spec?.leaseDurationSeconds ?? 0) * 1000;

/** The members that may hold shards: those whose Lease has changed within its duration. */
function liveMembers(view: GroupView): readonly string[] {
  return membersOf(view)
    .filter(({ lease, silentMs }) => silentMs < durationOf(lease))
    .map(({ identity }) => identity);
}

/** Leases of members that have been silent for so long that they are forgotten. */
export function forgotten(view: GroupView): readonly Lease[] {
  return membersOf(view)
    .filter(({ lease, silentMs }) => silentMs > 4 * durationOf(lease))
    .map(({ lease }) => lease);
}

export interface GroupDecision {
  readonly members: readonly string[];
  /** Set if the group works with another layout, which its members must end first. */
  readonly otherLayout: string | undefined;
  /** The layout's Lease is missing, or nobody lives with the layout that it has: to be written before any shard is taken. */
  readonly setLayout: boolean;
  readonly acquire: readonly number[];
  /** Shards of ours without a Lease: it was deleted, perhaps while its holder works. A new one is made now, and acquired later. */
  readonly remake: readonly number[];
  /** Shards that name us and belong to another member by the plan. */
  readonly release: readonly number[];
}

/** The next step of this member, given the shards that it holds by its own belief. */
export function decide(view: GroupView, rules: GroupRules, holds: ReadonlySet<number>): GroupDecision {
  const { identity, shards, layout } = rules;
  const live = new Set(liveMembers(view));
  const present = membersOf(view).filter((member) => live.has(member.identity));
  const members = present
    .filter((member) => layoutOf(member) === layout)
    .map((member) => member.identity)
    .sort();
  const agreed = agreedLayout(view, rules, present);
  const named = Array.from({ length: shards }, (_, shard) => shard).filter(
    (shard) => holderAt(view, rules, shard) === identity,
  );
  if (agreed === undefined)
    return { members, otherLayout: undefined, setLayout: true, acquire: [], remake: [], release: [] };
  if (agreed !== layout)
    return { members, otherLayout: agreed, setLayout: false, acquire: [], remake: [], release: named };
  const plan = planShards(members, shards);
  const isMissing = (shard: number): boolean => holderAt(view, rules, shard) === undefined && !isFounding(view, rules);
  const isFree = (shard: number): boolean => !mayBeHeld(view, rules, { shard, live });
  const wanted = plan.flatMap((owner, shard) => (owner === identity && !holds.has(shard) ? [shard] : []));
  const release = named.filter((shard) => plan[shard] !== identity);
  return {
    members,
    otherLayout: undefined,
    setLayout: false,
    acquire: wanted.filter((shard) => !isMissing(shard) && isFree(shard)),
    remake: wanted.filter(isMissing),
    release,
  };
}

const layoutOf = ({ lease }: Member): string | undefined => lease.metadata.annotations?.[layoutAnnotation];

/** The holder that the shard's Lease names, "" if it is free; undefined if there is no Lease. */
function holderAt({ leases }: GroupView, rules: GroupRules, shard: number): string | undefined {
  const found = leases.get(shardLease(rules, shard))?.lease;
  return found && holderOf(found);
}

/** The layout by which live members work; undefined if they have to agree on one. */
function agreedLayout(view: GroupView, { name }: GroupRules, present: readonly Member[]): string | undefined {
  const lease = view.leases.get(name)?.lease;
  const written = lease && holderOf(lease);
  if (present.some((member) => layoutOf(member) === written)) return written;
  // the Lease was deleted or changed by force: members that hold shards go on as before
  const holders = new Set(
    Array.from(view.leases.values(), (seen) => seen.lease)
      .filter(isShard)
      .map(holderOf),
  );
  const working = present.find(({ identity }) => holders.has(identity));
  return working && layoutOf(working) !== written ? layoutOf(working) : undefined;
}

/** A founder that was held up for long may have been overtaken unnoticed. */
function isFounding({ foundingSince, askedAt }: GroupView, { leaseDurationMs }: GroupRules): boolean {
  return foundingSince !== undefined && askedAt - foundingSince < leaseDurationMs;
}

/**
 * True as long as another member may believe that it holds the shard: the holder is live, or has been gone for less than
 * a lease's duration, or the Lease was made anew less than that ago, in the place of one that we do not know.
 */
function mayBeHeld(
  view: GroupView,
  rules: GroupRules,
  { shard, live }: { readonly shard: number; readonly live: ReadonlySet<string> },
): boolean {
  const { leaseDurationMs, identity } = rules;
  const found = view.leases.get(shardLease(rules, shard));
  if (found === undefined) return false;
  const { lease, since } = found;
  if (lease.metadata.annotations?.[remadeAnnotation] !== undefined && view.askedAt - since < leaseDurationMs)
    return true;
  const holder = holderOf(lease);
  if (holder === "" || holder === identity) return false;
  if (live.has(holder)) return true;
  const goneSince = view.absentSince.get(holder);
  return goneSince !== undefined && view.askedAt - goneSince < leaseDurationMs;
}
