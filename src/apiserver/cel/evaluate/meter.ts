/** Counts the cost and the real work of an evaluation, and stops the evaluation at its limit. One meter for each evaluation. */

/** For one evaluation, for all rules of one object or one binding, and for all match conditions of one hook. */
export const costLimits = { perCall: 1_000_000, perObject: 10_000_000, perConditions: 2_500_000 } as const;

/** The API server's own reckoning takes some long operations for single steps; these many of their parts may be looked at for each unit of cost. */
const workPerCost = 4;

export const costExceeded = "operation cancelled: actual cost limit exceeded";

/** Thrown through the whole evaluation: no operator may do without it. */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";

  constructor() {
    super(costExceeded);
  }
}

/**
 * Invariants: neither number ever falls below zero; while an evaluation goes on, `cost` is at most `limit` and `work` at most `maxWork`.
 * Every loop of the evaluator and of its libraries spends or toils at least one for each turn, before it.
 */
export class Meter {
  readonly #limit: number;
  readonly #maxWork: number;
  #cost = 0;
  #work = 0;

  constructor(limit: number = costLimits.perCall) {
    this.#limit = limit;
    this.#maxWork = limit * workPerCost;
  }

  /** In the API server's units. */
  get cost(): number {
    return this.#cost;
  }

  /** Elements, or some characters each, that were looked at inside of operations. */
  get work(): number {
    return this.#work;
  }

  /** Adds cost that the API server counts, too; a negative number for cost that it takes back. */
  spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostExceeded();
  }

  /** Adds work that the API server does not count in full: items of lists and maps that are compared, copied or sorted. */
  toil(items: number): void {
    this.#work += items;
    if (this.#work > this.#maxWork) throw new CostExceeded();
  }

  /** Adds the work of reading text, which is fast: 16 characters count as one item. */
  read(characters: number): void {
    this.toil(1 + characters / 16);
  }
}
