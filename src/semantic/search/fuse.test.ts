import { expect, test } from 'vitest';
import { fuseHits, rankLexical } from './fuse.ts';
import type { FoundDocument, LexicalHit } from './lexical-search.ts';

const document = (path: string, approval = 0): FoundDocument => ({
  path,
  hash: 'sha256:0',
  type: 'ssss:rule',
  portability: 'structural',
  language: null,
  status: null,
  title: path,
  timestamp: null,
  approval,
});
const worded = (path: string, lexical: number, matched = 2): LexicalHit => ({ ...document(path), lexical, matched });
const near = (path: string, similarity: number, approval = 0) => ({ document: document(path, approval), similarity });
const both = { words: 2, feedback: true };

test('what both lists know stands first, and the evidence stays apart', () => {
  const ranked = fuseHits([worded('a', 5), worded('b', 4)], [near('b', 0.9), near('c', 0.8)], both);
  expect(ranked.map(hit => [hit.path, hit.evidence])).toEqual([
    ['b', { lexical: 4, semantic: 0.9 }],
    ['a', { lexical: 5, semantic: null }],
    ['c', { lexical: 0, semantic: 0.8 }],
  ]);
  expect(ranked[0]?.score).toBeLessThanOrEqual(1);
});

test('a document without a word of the question can stand first, before those with some of the words', () => {
  const ranked = fuseHits([worded('english', 3, 1)], [near('日本語', 0.8)], both);
  expect(ranked.map(hit => hit.path)).toEqual(['日本語', 'english']);
  expect(ranked[0]?.evidence).toEqual({ lexical: 0, semantic: 0.8 });
});

test('feedback settles what is nearly equal and does nothing when it is off', () => {
  const lists = [[], [near('a', 0.8), near('b', 0.79, 1)]] as const;
  expect(fuseHits(...lists, both).map(hit => hit.path)).toEqual(['b', 'a']);
  expect(fuseHits(...lists, { ...both, feedback: false }).map(hit => hit.path)).toEqual(['a', 'b']);
});

test('equal scores stand by words, then by path', () => {
  const ranked = fuseHits([worded('z', 1)], [near('a', 0.5)], both);
  expect(ranked.map(hit => hit.path)).toEqual(['z', 'a']);
});

test('words alone give scores that fall with the place over all pages', () => {
  const scores = [...rankLexical([worded('a', 9), worded('b', 8)], 0, 2), ...rankLexical([worded('c', 7)], 2, 2)].map(hit => hit.score);
  expect(scores[0]).toBe(1);
  expect(scores).toEqual(scores.toSorted((left, right) => right - left));
});
