/** Judges counts of work at sizes n, 2n and 4n: linear work passes. For the stall guard. */

/**
 * The factor by which an item may cost more in a longer input than in a shorter one: sorting is a little more than
 * linear, and comparing all with all doubles it.
 */
const mostGrowth = 1.4;

/** Beyond what linear work can reach: work that begins at some size, such as a longer text of a refusal, may double the slope once. */
const mostDoubled = 2.4;

/** The complaint about work that grows faster than its input; undefined for linear work. */
export function superlinear(n: number, [small, middle, large]: readonly [number, number, number]): string | undefined {
  const [first, second] = [(middle - small) / n, (large - middle) / (2 * n)];
  if (second < mostGrowth * Math.max(first, 0) + 2 || large < mostDoubled * middle) return undefined;
  return `for each further item more and more: steps for ${n}, ${2 * n}, ${4 * n}: ${small}, ${middle}, ${large}`;
}
