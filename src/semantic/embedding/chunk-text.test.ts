import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkText, estimatedTokens } from './chunk-text.ts';

test('a short document is one piece, its title once in front', () => {
  expect(chunkText('Saddle height', 'Saddle height\nHeel on the pedal.')).toEqual(['Saddle height\nHeel on the pedal.']);
  expect(chunkText('Saddle height', 'Heel on the pedal.')).toEqual(['Saddle height\nHeel on the pedal.']);
});

test('a document without text has its title, and one without a title still a piece', () => {
  expect(chunkText('Saddle height', '')).toEqual(['Saddle height']);
  expect(chunkText('', ' \n ')).toEqual(['-']);
});

test('a long document is cut between lines, the title in front of each piece', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `Line ${index}: ${'words of this line '.repeat(8)}`.trim());
  const chunks = chunkText('Lines', lines.join('\n'));
  expect(chunks.length).toBeGreaterThan(2);
  for (const chunk of chunks) {
    expect(chunk.startsWith('Lines\n')).toBe(true);
    expect(estimatedTokens(chunk)).toBeLessThan(420);
  }
  expect(chunks.flatMap(chunk => chunk.split('\n').slice(1))).toEqual(lines);
});

test('a line without end is cut between sentences, then words', () => {
  const sentence = `The ${'word '.repeat(60).trim()}. `;
  const chunks = chunkText('', sentence.repeat(30));
  expect(chunks.every(chunk => chunk.endsWith('.'))).toBe(true);
  for (const chunk of chunkText('', 'wordwithoutend '.repeat(2000)))
    expect(chunk.split(' ').every(word => word === 'wordwithoutend')).toBe(true);
});

test('a word without end is cut between graphemes', () => {
  const family = '👩‍👩‍👧‍👦';
  for (const chunk of chunkText('', family.repeat(2000))) expect(chunk.replaceAll(family, '')).toBe('');
  for (const chunk of chunkText('', 'नि'.repeat(5000))) expect(chunk.replaceAll('नि', '')).toBe('');
});

test('Japanese text makes shorter pieces than English text of as many letters', () => {
  expect(chunkText('', '会議は来週の火曜に変更。'.repeat(200)).length).toBeGreaterThan(
    chunkText('', 'meetings were.'.repeat(200)).length * 2,
  );
});

const expectSound = (chunks: readonly string[]): void => {
  expect(chunks.length).toBeGreaterThan(0);
  expect(chunks.length).toBeLessThanOrEqual(64);
  for (const chunk of chunks) {
    expect(chunk.trim()).not.toBe('');
    expect(chunk.isWellFormed()).toBe(true);
    expect(estimatedTokens(chunk)).toBeLessThanOrEqual(401);
  }
};

test('whatever the text, no piece is empty, too long or holds half a character, and there are at most 64', () => {
  const title = fc.string({ unit: 'binary', maxLength: 500 });
  fc.assert(
    fc.property(title, fc.string({ unit: 'binary', maxLength: 3000 }), (head, text) => expectSound(chunkText(head, text))),
    { numRuns: 50 },
  );
});

// What takes the square of its length does not end before the runner's own limit.
test('a line of a hundred thousand letters is cut into pieces', () => {
  for (const letter of ['a', 'a ', '漢', 'न']) expect(chunkText('Title', letter.repeat(100_000)).length, letter).toBeGreaterThan(20);
  expect(chunkText('Title', ' '.repeat(100_000)).length).toBeGreaterThan(0);
});

test.each(['a', '\u0301', 'ก', '👩‍', '\n', ' ', '漢'])('sixty thousand times %j makes sound pieces', letter => {
  expectSound(chunkText('Title', letter.repeat(60_000)));
});
