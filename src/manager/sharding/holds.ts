/** The shards that this process holds: admits runs to them, and knows when the last run of a shard that is given away has ended. */
import type { KeyPass } from "../../controller/index.js";
import { NotLeaderError } from "../leader-election/index.js";

interface Hold {
  readonly leaving: AbortController;
  readonly lost: AbortController;
  runs: number;
  /** Resolves when the shard is being given away and its last run has ended. */
  readonly drained: Promise<void>;
  readonly onEmpty: () => void;
}

/** The right to work in a shard until it is disposed. */
export interface ShardPass extends KeyPass {
  /** Aborts when the shard is to be given to another member: work without an end must end now. */
  readonly leaving: AbortSignal;
}

/** Shards, each with an object that stands for the one time for which it is held: when it is won again, by another object. */
export type Acquisitions = ReadonlyMap<number, object>;

/**
 * Invariants:
 * 1. A shard is in `#holds` from the answer that gave it to us to the moment at which its last run has ended and it may be
 *    released, or to the moment at which it is lost.
 * 2. A pass is good exactly while its hold is in `#holds` and `isValid()`.
 */
export class Holds {
  readonly #holds = new Map<number, Hold>();
  readonly #isValid: () => boolean;
  readonly #onLost: () => void;

  /** `isValid` says whether our member Lease protects what we hold at this moment; `onLost` is called when shards are gone. */
  constructor(isValid: () => boolean, onLost: () => void) {
    this.#isValid = isValid;
    this.#onLost = onLost;
  }

  get acquisitions(): Acquisitions {
    return this.#holds;
  }

  /** The shards that are held, also while they are being given away. */
  get shards(): ReadonlySet<number> {
    return new Set(this.#holds.keys());
  }

  has(shard: number): boolean {
    return this.#isValid() && this.#holds.get(shard)?.leaving.signal.aborted === false;
  }

  add(shard: number): void {
    if (this.#holds.has(shard)) return;
    let onEmpty = (): void => {};
    const drained = new Promise<void>((resolve) => void (onEmpty = resolve));
    this.#holds.set(shard, { leaving: new AbortController(), lost: new AbortController(), runs: 0, drained, onEmpty });
  }

  /** Admits a piece of work; undefined if the shard is not ours, or is being given away. */
  enter(shard: number): ShardPass | undefined {
    const hold = this.#holds.get(shard);
    if (hold === undefined || !this.has(shard)) return undefined;
    hold.runs += 1;
    let hasEnded = false;
    return {
      leaving: hold.leaving.signal,
      lost: hold.lost.signal,
      check: () => {
        if (this.#holds.get(shard) === hold && !hasEnded && this.#isValid()) return;
        throw new NotLeaderError(`not sent: this process does not hold shard ${shard} for this run any more`, {
          sent: false,
        });
      },
      [Symbol.dispose]: () => {
        if (hasEnded) return;
        hasEnded = true;
        hold.runs -= 1;
        if (hold.runs === 0 && hold.leaving.signal.aborted) hold.onEmpty();
      },
    };
  }

  /** Admits no more runs. Resolves when the last one has ended: with true if the shard is to be released, once. */
  async drain(shard: number): Promise<boolean> {
    const hold = this.#holds.get(shard);
    if (hold === undefined) return false;
    hold.leaving.abort(new Error(`shard ${shard} goes to another replica`));
    if (hold.runs > 0) await hold.drained;
    if (this.#holds.get(shard) !== hold) return false;
    this.#holds.delete(shard);
    this.#onLost();
    return true;
  }

  /** Ends the runs in flight of a shard that is being given away and takes too long. */
  hurry(shard: number, why: string): void {
    this.#holds.get(shard)?.lost.abort(new Error(why));
  }

  /** Forgets the shards, which another member may have by now, and aborts their runs. */
  lose(shards: Iterable<number>, why: string): void {
    for (const shard of shards) {
      const hold = this.#holds.get(shard);
      this.#holds.delete(shard);
      hold?.leaving.abort(new Error(why));
      hold?.lost.abort(new Error(why));
      hold?.onEmpty();
    }
    this.#onLost();
  }
}
