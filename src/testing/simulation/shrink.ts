/** Shrinks a failing plan: gives the fewest faults that still fail. */
import type { Plan, PlannedFault } from "./plan.js";

/** Plays the plan again; true if it still fails in the same way. */
export type StillFails = (plan: Plan) => Promise<boolean>;

/** The most histories that a shrink may play. */
const budget = 60;

/**
 * Leaves out one fault after another for as long as the rest still fails, then shortens the spells of the faults
 * that remain. The plan that it gives has been played, and fails.
 */
export async function shrink(plan: Plan, stillFails: StillFails): Promise<Plan> {
  let plays = 0;
  const tried = async (faults: readonly PlannedFault[]): Promise<boolean> =>
    plays++ < budget && (await stillFails({ ...plan, faults }));
  let faults = plan.faults;
  for (let i = 0; i < faults.length; ) {
    const fewer = faults.filter((_, index) => index !== i);
    if (await tried(fewer)) faults = fewer;
    else i += 1;
  }
  for (let i = 0; i < faults.length; i++) {
    for (const shorter of shorterThan(faults[i]?.forMs)) {
      const changed = faults.map((fault, index) => (index === i ? { ...fault, forMs: shorter } : fault));
      if (!(await tried(changed))) break;
      faults = changed;
    }
  }
  return { ...plan, faults };
}

/** Half as long, and again, down to a tenth of a second. */
function shorterThan(ms: number | undefined): readonly number[] {
  const shorter: number[] = [];
  for (let next = Math.round((ms ?? 0) / 2); next >= 100; next = Math.round(next / 2)) shorter.push(next);
  return shorter;
}
