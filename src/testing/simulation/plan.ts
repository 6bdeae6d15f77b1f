/** Plans: which fault strikes at which moment of a history. Plain data, so that a plan can be printed, shrunk and replayed. */
import type { Random } from "../../base/index.js";

/**
 * A moment of a history, in terms that a replay meets again: the operator's write, read or received watch event of that
 * number (each counted from 0 over the whole history), or the time since the scenario began.
 */
export interface Moment {
  readonly on: "write" | "read" | "event" | "time";
  /** The number of the write, read or event; milliseconds for a time. */
  readonly number: number;
}

export interface PlannedFault {
  /** The name of its kind. */
  readonly fault: string;
  readonly at: Moment;
  /** The length of the fault, for kinds that last. */
  readonly forMs?: number;
  /** From 0 to 1: the choice among the objects, codes or replicas that the kind could strike. */
  readonly choice?: number;
}

export interface Plan {
  /** The value of `COXSWAIN_SEED` or `--seed` that repeats the history: a number, `systematic-N` or `sweep-N`. */
  readonly seed: string;
  readonly faults: readonly PlannedFault[];
}

/** The size of the history without faults: the room in which moments are chosen. */
export interface Profile {
  readonly writes: number;
  readonly reads: number;
  readonly events: number;
  readonly lastMs: number;
  /** The number of changes of custom objects that their schemas suggest at the end. */
  readonly changes: number;
}

/** The properties of a kind of fault that plans need. */
export interface PlannableFault {
  readonly name: string;
  readonly strikesOn: readonly Moment["on"][];
  /** The shortest and the longest time that the fault may last; undefined if it does not last. */
  readonly lasts?: readonly [number, number];
  /** The frequency with which it is drawn, relative to the other kinds; 1 by default, 0 for never. */
  readonly weight?: number;
  /** Its choice is one of the profile's changes: a sweep tries each of them. */
  readonly triesChanges?: boolean;
}

/** Beyond the profile's end too, because a struck history is longer than the one without faults. */
const beyond = 1.5;
const mostFaults = 4;

/** The plan of a random seed: one to four faults at chosen moments. The same seed, kinds and profile give the same plan. */
export function drawPlan(seed: number, kinds: readonly PlannableFault[], profile: Profile, random: Random): Plan {
  const count = 1 + random.int(mostFaults);
  const faults: PlannedFault[] = [];
  for (let i = 0; i < count; i++) {
    const kind = drawKind(kinds, random);
    if (kind === undefined) break;
    faults.push(drawFault(kind, profile, random));
  }
  return { seed: String(seed), faults };
}

function drawKind(kinds: readonly PlannableFault[], random: Random): PlannableFault | undefined {
  const total = kinds.reduce((sum, { weight = 1 }) => sum + weight, 0);
  let left = random.next() * total;
  return kinds.find(({ weight = 1 }) => {
    left -= weight;
    return weight > 0 && left < 0;
  });
}

function drawFault({ name, strikesOn, lasts }: PlannableFault, profile: Profile, random: Random): PlannedFault {
  const on = strikesOn[random.int(strikesOn.length)] ?? "time";
  const room = { write: profile.writes, read: profile.reads, event: profile.events, time: profile.lastMs + 1_000 }[on];
  const number = random.int(Math.max(1, Math.ceil(room * beyond)));
  const choice = random.next();
  // squared, so that short and long spells are both tried
  const spell = random.next() ** 2;
  const at = { on, number };
  if (lasts === undefined) return { fault: name, at, choice };
  return { fault: name, at, choice, forMs: Math.round(lasts[0] + spell * (lasts[1] - lasts[0])) };
}

function describeMoment({ on, number }: Moment): string {
  switch (on) {
    case "time":
      return `${number} ms after the scenario began`;
    case "event":
      return `at event ${number} that the operator is sent`;
    default:
      return `at the operator's ${on} ${number}`;
  }
}

export function describeFault({ fault, at, forMs }: PlannedFault): string {
  return `${fault} ${describeMoment(at)}${forMs === undefined || forMs === 0 ? "" : `, for ${forMs} ms`}`;
}
