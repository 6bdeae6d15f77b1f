/** The reads and writes of one run, for the journal and the loop breaker. */
import type { Clock } from "../../base/index.js";
import type { LoopWrite } from "../history/hot-loop.js";
import type { JournalRead, JournalWrite } from "../history/journal.js";

/** A run that reads a whole namespace object by object is not worth recording in full. */
const limit = 32;

const none: readonly never[] = [];

/** The reads and writes of a run; nothing is allocated for a run without any. */
export interface RunTrace {
  readonly reads: readonly JournalRead[];
  readonly writes: readonly JournalWrite[];
  readonly loopWrites: readonly LoopWrite[];
  readonly omitted: number;
}

export const emptyTrace: RunTrace = { reads: none, writes: none, loopWrites: none, omitted: 0 };

export class RunRecord implements RunTrace {
  readonly reads: JournalRead[] = [];
  readonly writes: JournalWrite[] = [];
  readonly loopWrites: LoopWrite[] = [];
  omitted = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  read(read: JournalRead): void {
    if (this.reads.length < limit) this.reads.push(read);
    else this.omitted += 1;
  }

  wrote(write: Omit<JournalWrite, "at">, loop?: LoopWrite): void {
    if (this.writes.length < limit) this.writes.push({ at: this.#clock.now(), ...write });
    else this.omitted += 1;
    if (loop !== undefined && this.loopWrites.length < limit) this.loopWrites.push(loop);
  }
}
