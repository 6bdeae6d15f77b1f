/** Randomness as an argument: a seeded generator for tests and simulations, and the system's for production. */

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A uniform integer in [0, limit). */
  int(limit: number): number;
  /** An independent generator, determined by this one's seed and the name, no matter how many numbers were drawn here. */
  fork(name: string): Random;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  int: (limit) => Math.floor(Math.random() * limit),
  fork: () => systemRandom,
};

/** The same seed gives the same numbers on every machine (mulberry32 over a hashed seed). */
export function seededRandom(seed: number | string): Random {
  const start = fnv1a(String(seed));
  let state = start;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (limit) => Math.floor(next() * limit),
    fork: (name) => seededRandom(`${start}/${name}`),
  };
}

/** 32-bit FNV-1a over the UTF-16 units; `start` is the hash of the text before this one. */
export function fnv1a(text: string, start: number = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
