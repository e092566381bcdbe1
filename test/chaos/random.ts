/** Reproducible randomness: the same seed gives the same choices in the same order. */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number;
  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** One of the keys, chosen in proportion to its weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
  shuffled<T>(from: readonly T[]): T[];
}

/** @param seed an integer. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(from: readonly T[]): T => {
    const found = from[integer(0, from.length - 1)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  };
  return {
    next,
    integer,
    pick,
    weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
      const entries = Object.entries(weights) as [T, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      throw new Error('nothing to weigh');
    },
    shuffled<T>(from: readonly T[]): T[] {
      const all = [...from];
      for (let i = all.length - 1; i > 0; i -= 1) {
        const j = integer(0, i);
        [all[i], all[j]] = [all[j] as T, all[i] as T];
      }
      return all;
    },
  };
}
