import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkDocumentPath, slugify } from './index.ts';

test.each([
  ['会议纪要', '会议纪要'],
  ['季度预算', '季度预算'],
  ['שלום עולם', 'שלום-עולם'],
  ['مرحبا', 'مرحبا'],
  ['Ärger im Büro!', 'ärger-im-büro'],
  ['Cafe\u0301', 'café'],
  ['हिन्दी', 'हिन्दी'],
  ["Don't  --  panic", 'dont-panic'],
  ['A/B: C\\D', 'a-b-c-d'],
  ['2026 Q1', '2026-q1'],
])('%j becomes %j', (title, slug) => expect(slugify(title)).toBe(slug));

test('titles that leave nothing, device names and long titles stay apart by a hash', () => {
  expect(slugify('!!!')).toMatch(/^untitled-[\da-f]{8}$/);
  expect(slugify('!!!')).not.toBe(slugify('???'));
  expect(slugify('CON')).toMatch(/^con-[\da-f]{8}$/);
  const long = '字'.repeat(100);
  expect(slugify(`${long}a`)).not.toBe(slugify(`${long}b`));
});

test('every title makes a path that can be created, and a slug makes itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), title => {
      const slug = slugify(title);
      expect(checkDocumentPath(`memory/${slug}.md`, { creating: true })).toBeNull();
      expect(slugify(slug)).toBe(slug);
    }),
  );
});
