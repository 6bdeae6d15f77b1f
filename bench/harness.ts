/** What a benchmark file gives and how it measures: variants in turn, in one process, so that a busy machine slows all alike. */

/** The figures of one subject. Names carry their unit in parentheses; a ratio says how many times better ours is. */
export interface Report {
  readonly figures: Readonly<Record<string, number>>;
  readonly ratios: Readonly<Record<string, number>>;
}

export interface RunOptions {
  /** For progress: a benchmark prints nothing itself. */
  readonly log: (message: string) => void;
  /** What to measure, where there are several programs: those whose name contains one of these. All unless told. */
  readonly only?: readonly string[];
}

/** Every bench/<name>.ts exports one as `run`. */
export type Run = (options: RunOptions) => Report | Promise<Report>;

/** Does a batch of work and gives how many operations that was. */
export type Variant = () => number;

export interface MeasureOptions {
  /** How many times each variant is measured; the median counts. 9 unless told. */
  readonly rounds?: number;
  /** How long each measurement lasts at least; 40 unless told. */
  readonly minMs?: number;
}

/** Nanoseconds per operation of each variant: the median of rounds in which the variants take turns. */
export function measure<Name extends string>(
  variants: Readonly<Record<Name, Variant>>,
  options: MeasureOptions = {},
): Record<Name, number> {
  const { rounds = 9, minMs = 40 } = options;
  const entries = Object.entries(variants) as [Name, Variant][];
  const samples = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (const [, variant] of entries) timeOf(variant, minMs);
  for (let round = 0; round < rounds; round++) {
    for (const [name, variant] of entries) {
      globalThis.gc?.();
      samples.get(name)?.push(timeOf(variant, minMs));
    }
  }
  return Object.fromEntries([...samples].map(([name, times]) => [name, median(times)])) as Record<Name, number>;
}

function timeOf(variant: Variant, minMs: number): number {
  const start = performance.now();
  let operations = 0;
  let elapsedMs = 0;
  do {
    operations += variant();
    elapsedMs = performance.now() - start;
  } while (elapsedMs < minMs);
  return (elapsedMs * 1e6) / operations;
}

/**
 * Nanoseconds per operation in the best of some short runs, to be set beside the best of another program: on a busy machine that is the
 * run which nobody interrupted, and medians would compare the machine's mood.
 */
export function bestOf(variant: Variant, runs = 12): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) best = Math.min(best, timeOf(variant, 0));
  return best;
}

/** Remembers the best time of each name over several rounds. */
export function keepBest(times: Map<string, number>, name: string, time: number): void {
  times.set(name, Math.min(time, times.get(name) ?? Number.POSITIVE_INFINITY));
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Heap bytes that a value keeps alive, by difference; needs --expose-gc, as `npm run bench` sets it. */
export function retainedBytes<T>(make: () => T): { readonly value: T; readonly bytes: number } {
  const settle = (): number => {
    for (let i = 0; i < 3; i++) globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = settle();
  const value = make();
  return { value, bytes: settle() - before };
}
