/**
 * The contract of benchmark files and their way of measuring: variants take turns in one process, so that a busy
 * machine slows all alike.
 */

/** The figures of one subject. Names carry their unit in parentheses; a ratio is how many times better ours is. */
export interface Report {
  readonly figures: Readonly<Record<string, number>>;
  readonly ratios: Readonly<Record<string, number>>;
}

export interface RunOptions {
  /** For progress; a benchmark itself prints nothing. */
  readonly log: (message: string) => void;
  /** Selects programs whose name contains one of these; all by default. */
  readonly only?: readonly string[];
}

/** Every bench/<name>.ts exports one as `run`. */
export type Run = (options: RunOptions) => Report | Promise<Report>;

/** Does a batch of work and gives the number of operations. */
export type Variant = () => number;

export interface MeasureOptions {
  /** The number of measurements of each variant, of which the median counts; 9 by default. */
  readonly rounds?: number;
  /** The least duration of a measurement; 40 by default. */
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
 * Nanoseconds per operation in the best of several short runs, for comparison with the best of another program: on a
 * busy machine the best run is the one without interruption, while medians would compare the machine's load.
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
