/** Counts the cost and the real work of an evaluation, and stops the evaluation at its limit. One meter for each evaluation. */

/**
 * Upstream's limits: for one evaluation, for all rules of one object or one binding, and for all match conditions of
 * one webhook.
 */
export const costLimits = { perCall: 1_000_000, perObject: 10_000_000, perConditions: 2_500_000 } as const;

/**
 * kube-apiserver counts some long operations as a single step. For each unit of cost, this many items inside such
 * operations may be looked at.
 */
const workPerCost = 4;

export const costExceeded = "operation cancelled: actual cost limit exceeded";

/**
 * Ends an evaluation. It is thrown rather than returned as an ErrorValue, because `||` and other operators absorb failures.
 */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";

  constructor() {
    super(costExceeded);
  }
}

/**
 * Invariants:
 * 1. Neither number ever falls below zero.
 * 2. While an evaluation runs, `cost` is at most `limit` and `work` at most `maxWork`.
 * 3. Every loop of the evaluator and of its libraries calls `spend` or `toil` with at least 1 before each iteration.
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

  /** The cost so far, in kube-apiserver's units. */
  get cost(): number {
    return this.#cost;
  }

  /** The work so far: items, or groups of characters, that operations have looked at. */
  get work(): number {
    return this.#work;
  }

  /** The part of a budget, in kube-apiserver's units, that is used up: the cost, or the work where that is more. */
  get spent(): number {
    return Math.max(this.#cost, this.#work / workPerCost);
  }

  /** Adds cost that kube-apiserver counts too; negative for cost that it takes back. */
  spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostExceeded();
  }

  /**
   * Adds work that kube-apiserver does not count in full: items of lists and maps that are compared, copied or sorted.
   */
  toil(items: number): void {
    this.#work += items;
    if (this.#work > this.#maxWork) throw new CostExceeded();
  }

  /** Adds the work of reading text, which is fast: 16 characters count as one item. */
  read(characters: number): void {
    this.toil(1 + characters / 16);
  }
}
