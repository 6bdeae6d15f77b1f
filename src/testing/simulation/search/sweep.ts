/** Plans that try every kind of fault alone, early, in the middle and late: no kind is left to luck. Pure. */
import type { Plan, PlannableFault, PlannedFault, Profile } from "../plan.js";

/** Plans for a kind of the usual weight. */
const triesEach = 3;
/** The most changes that are tried; of more, they are spread over all. */
const mostChanges = 60;
/** The golden ratio: its multiples are spread evenly, however many there are. */
const spread = 0.618;

/**
 * Several plans of one fault each for every kind; the weight of a kind says how many. Then one for each change that users
 * may ask for. None if there is nothing to strike.
 */
export function sweepPlans(kinds: readonly PlannableFault[], profile: Profile): readonly Plan[] {
  if (profile.writes === 0 && profile.events === 0) return [];
  const plans: PlannedFault[] = [];
  const most = Math.max(0, ...kinds.map(triesOf));
  // by turns, so that a search that is cut short has tried all kinds
  for (let turn = 0; turn < most; turn++)
    for (const kind of kinds) if (turn < triesOf(kind)) plans.push(plannedAt(kind, profile, turn));
  const changes = Math.min(profile.changes, mostChanges);
  const changing = kinds.filter(({ triesChanges }) => triesChanges === true);
  for (let number = 0; number < changes; number++)
    for (const kind of changing) plans.push(plannedFor(kind, profile, (number + 0.5) / changes));
  return plans.map((fault, index) => ({ seed: `sweep-${index}`, faults: [fault] }));
}

const triesOf = ({ weight = 1 }: PlannableFault): number => Math.ceil(weight * triesEach);

/** When all is done, one of the changes, for as long as such a fault lasts. */
function plannedFor({ name, lasts }: PlannableFault, { lastMs }: Profile, choice: number): PlannedFault {
  const fault = { fault: name, at: { on: "time", number: lastMs + 1_000 }, choice } as const;
  return lasts === undefined ? fault : { ...fault, forMs: lasts[1] };
}

function plannedAt(kind: PlannableFault, profile: Profile, turn: number): PlannedFault {
  const { name, strikesOn, lasts } = kind;
  const on = strikesOn[turn % strikesOn.length] ?? "time";
  const room = { write: profile.writes, read: profile.reads, event: profile.events, time: profile.lastMs + 1_000 }[on];
  const share = (turn + 0.5) / triesOf(kind);
  const fault = { fault: name, at: { on, number: Math.floor(room * share) }, choice: (0.1 + turn * spread) % 1 };
  if (lasts === undefined) return fault;
  return { ...fault, forMs: Math.round(lasts[0] + share ** 2 * (lasts[1] - lasts[0])) };
}
