import type { Random } from '#adapter-contracts/testing';

/** An integer from 0 up to but not including `bound`. */
export const below = (random: Random, bound: number): number => Math.floor(random() * bound);

export const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

export const chance = (random: Random, share: number): boolean => random() < share;

/** `make` between 0 and `most` times. */
export const several = <T>(random: Random, most: number, make: () => T): T[] => Array.from({ length: below(random, most + 1) }, make);
