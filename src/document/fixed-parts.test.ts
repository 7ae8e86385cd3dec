import { expect, test } from 'vitest';
import { fixedParts } from './fixed-parts.ts';

test('links are told by where they lead, code and comments as they are written', () => {
  const body = [
    'See [the tone](/rules/tone.md#Voice "t"), [[slug|label]] and ![picture](a/b.png).',
    'Run `sheaf ls`; read https://example.org/a?b=1, or <https://example.org/c>.',
    '',
    '```sh',
    'echo [no](link.md)',
    '```',
    '',
    '<!-- a comment -->',
    '',
    'An escaped \\*star\\* is text, 1 <2 and <b>bold</b> is not.',
  ];
  for (const lineEnd of ['\n', '\r\n'])
    expect(fixedParts(body.join(lineEnd))).toEqual({
      links: ['/rules/tone.md#Voice', 'slug', 'a/b.png', 'https://example.org/a?b=1', 'https://example.org/c'],
      code: ['`sheaf ls`', '```sh\necho [no](link.md)\n```', '<!-- a comment -->', '<b>', '</b>'],
    });
});

test('an address ends where the next word of a script without spaces begins', () => {
  expect(fixedParts('詳しくはhttps://example.org/a。次へ').links).toEqual(['https://example.org/a']);
});

test('what looks like frontmatter at the beginning of a body hides nothing', () => {
  expect(fixedParts('---\n[x](/y.md): 1\n---\nText\n').links).toEqual(['/y.md']);
});
