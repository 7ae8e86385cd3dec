import { expect, test } from 'vitest';
import { branchPrefixes } from './branches.ts';

const drawn = (nodes: readonly (readonly [number, string])[]): string[] => {
  const prefixes = branchPrefixes(nodes.map(([depth]) => depth));
  return nodes.map(([, name], index) => `${prefixes[index]}${name}`);
};

test('children hang below their parent, the last one on a corner', () => {
  expect(
    drawn([
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
      [2, 'd'],
      [1, 'e'],
      [2, 'f'],
      [0, 'g'],
      [1, 'h'],
    ]),
  ).toEqual(['a', '├─ b', '│  ├─ c', '│  └─ d', '└─ e', '   └─ f', 'g', '└─ h']);
});
