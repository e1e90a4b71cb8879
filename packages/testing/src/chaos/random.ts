/** Numbers that are the same for the same seed. */
export type Random = {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(members: readonly T[]): T;
  /** An independent sequence, unaffected by draws from this one. */
  fork(name: string): Random;
};

/** mulberry32: small, and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick(members) {
      const member = members[Math.floor(next() * members.length)];
      if (member === undefined) throw new Error('Cannot pick from an empty list');
      return member;
    },
    fork: (name) => createRandom([...name].reduce(mixIn, seed)),
  };
}

function mixIn(mixed: number, character: string): number {
  return Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0;
}
