import { expect, test } from 'vitest';
import { linkedDocuments, ruleText } from './linked-fixture.ts';

test('one long line of links is read, and each link has its column', () => {
  const many = 20_000;
  const [document] = linkedDocuments({ 'n.md': ruleText('title: T', '[x](a.md) [[b]] [y](c) '.repeat(many)) });
  expect(document?.links.length).toBe(2 * many);
  expect(document?.links.slice(-1)[0]?.column).toBe((many - 1) * 23 + 11);
  expect(document?.endless.slice(-1)[0]?.column).toBe((many - 1) * 23 + 17);
});
