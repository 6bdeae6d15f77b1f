/** Sets of completion indexes and their text form, "1,3-5,7". Pure. */

/** Two neighbours are joined by a comma, three or more by a dash. */
export function printIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] as number) + 1) end++;
    const [first, last] = [sorted[i] as number, sorted[end] as number];
    if (end === i) parts.push(String(first));
    else parts.push(end === i + 1 ? `${first},${last}` : `${first}-${last}`);
    i = end + 1;
  }
  return parts.join(",");
}

/** Leaves out any part that is not an index below `completions`: the status it comes from may have been written by anyone. */
export function parseIndexes(text: string | undefined, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(part);
    if (match === null) continue;
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = Number(match[1]); index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** The lowest `count` indexes below `completions` that are in none of the `taken` sets. */
export function firstPending(
  count: number,
  completions: number,
  ...taken: readonly ReadonlySet<number>[]
): readonly number[] {
  const pending: number[] = [];
  for (let index = 0; index < completions && pending.length < count; index++) {
    if (!taken.some((set) => set.has(index))) pending.push(index);
  }
  return pending;
}
