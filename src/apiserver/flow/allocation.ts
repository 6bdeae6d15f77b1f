/** Divides seats among priority levels: in proportion to their demand, within the bounds of each. */

export interface Claim {
  readonly target: number;
  /** At most the target. */
  readonly least: number;
  readonly most: number;
}

/** A target of nothing counts as this. */
const smallestTarget = 0.001;

/**
 * There is one proportion p such that the amounts min(max(p × target, least), most) sum to the total. Undefined if the
 * total lies outside of the sums of the bounds.
 */
export function allocate(
  total: number,
  claims: readonly Claim[],
): { readonly amounts: readonly number[]; readonly proportion: number } | undefined {
  const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);
  const tolerance = 1e-7;
  if (sum(claims.map(({ least }) => least)) - total > tolerance) return undefined;
  if (total - sum(claims.map(({ most }) => most)) > tolerance) return undefined;
  const at = (p: number): readonly number[] =>
    claims.map(({ target, least, most }) => Math.max(least, Math.min(most, p * Math.max(target, smallestTarget))));
  // the sum is piecewise linear in p, and bends only where a bound is met
  const bends = claims
    .flatMap(({ target, least, most }) => [least, most].map((bound) => bound / Math.max(target, smallestTarget)))
    .toSorted((a, b) => a - b);
  let [low, lowSum] = [bends[0] ?? 0, sum(at(bends[0] ?? 0))];
  for (const high of bends) {
    const highSum = sum(at(high));
    if (highSum >= total) {
      const share = highSum === lowSum ? 0 : (total - lowSum) / (highSum - lowSum);
      const proportion = low + (high - low) * share;
      return { amounts: at(proportion), proportion };
    }
    [low, lowSum] = [high, highSum];
  }
  return { amounts: at(low), proportion: low };
}
