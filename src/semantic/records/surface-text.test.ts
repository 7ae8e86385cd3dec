import fc from 'fast-check';
import { expect, test } from 'vitest';
import { surfaceText } from './surface-text.ts';

test.each([
  ['## Say **why**\n\nIt _really_ helps.', 'Say why\nIt really helps.'],
  ['See [[rules/tone#Voice|the tone]] and [[plain-slug]].', 'See the tone and plain-slug.'],
  ['| A | B |\n|---|:-:|\n| [[x\\|label]] | b |', 'A B\nlabel b'],
  ['[docs](https://e.x/a_(b)) ![alt *text*](i.png)', 'docs alt text'],
  ['- [x] done\n1. first\n> quoted', 'done\nfirst\nquoted'],
  ['before <!-- hidden\nstill hidden --> after', 'before\nafter'],
  ['```ts\nconst snake_case = `a*b`;\n```\nafter', 'const snake_case = `a*b`;\nafter'],
  ['base_hash and __bold__ stay apart', 'base_hash and bold stay apart'],
  ['a \\*star\\* &amp; 2 &lt; 3', 'a *star* & 2 < 3'],
  ['[label]: https://e.x/\ntext<br>more', 'text more'],
  ['Title\n=====\n\n***', 'Title'],
])('%j reads as %j', (body, text) => {
  expect(surfaceText(body)).toBe(text);
});

test('no input makes it throw, and long hostile input is read in time', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), body => void surfaceText(body)));
  for (const piece of ['[', '[[', '](', '[](', '<!--', '<a', '`', '*', '\\', '|', '> ', '- ', '&', '_', '![', '|-', ' ', '\t', ' -', '- '])
    expect(surfaceText(piece.repeat(50_000)).length).toBeLessThanOrEqual(200_000);
});
