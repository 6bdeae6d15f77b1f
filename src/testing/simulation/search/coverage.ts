/** The coverage of a search: takes the faults that struck, gives for each kind the writes it struck, and the stale reads. */
import type { Coverage } from "../options.js";
import type { PlannedFault, Profile } from "../plan.js";
import type { Systematic } from "./systematic.js";

/** Kinds of faults that hold the struck event back, or hide it. */
const holding = new Set(["lag", "unobserved"]);

export class Covered {
  readonly #struck = new Map<
    string,
    { histories: number; readonly moments: Set<string>; readonly writes: Set<number> }
  >();
  readonly #stale = new Set<number>();
  readonly #profile: Profile;
  readonly #systematic: Pick<Systematic, "reads" | "pruned">;

  constructor(profile: Profile, systematic: Pick<Systematic, "reads" | "pruned">) {
    this.#profile = profile;
    this.#systematic = systematic;
  }

  /** The faults that struck in one history. */
  add(struck: readonly PlannedFault[]): void {
    for (const { fault, at, forMs = 0 } of struck) {
      const entry = this.#struck.get(fault) ?? { histories: 0, moments: new Set(), writes: new Set() };
      entry.histories += 1;
      entry.moments.add(`${at.on} ${at.number}`);
      if (at.on === "write" && at.number < this.#profile.writes) entry.writes.add(at.number);
      this.#struck.set(fault, entry);
      if (at.on !== "event" || !holding.has(fault)) continue;
      this.#systematic.reads.forEach(({ event, afterMs }, read) => {
        if (event === at.number && forMs > afterMs) this.#stale.add(read);
      });
    }
  }

  get report(): Coverage {
    const ascending = (numbers: ReadonlySet<number>): readonly number[] => [...numbers].toSorted((a, b) => a - b);
    return {
      writes: this.#profile.writes,
      events: this.#profile.events,
      reads: this.#systematic.reads.length,
      staleReads: ascending(this.#stale),
      pruned: this.#systematic.pruned,
      struck: Object.fromEntries(
        Array.from(this.#struck, ([fault, { histories, moments, writes }]) => [
          fault,
          { histories, moments: moments.size, writes: ascending(writes) },
        ]),
      ),
    };
  }
}
