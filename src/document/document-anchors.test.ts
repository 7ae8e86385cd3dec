import { describe, expect, test } from 'vitest';
import { anchorKey, documentAnchors, extractEndlessLinks, extractLinks, fixedParts, proseRanges } from './index.ts';

describe('anchors', () => {
  const text =
    '---\ntitle: "# No"\n---\n# Who *may*? #\n\nSetext heading\n===\n\n> ## In a [quote](x.md)\n\n- item ^block-1\n\n```\n# code\n```\n\n<a id="own"></a> {#braces}\n\n## Notes\n\n## Notes\n\n# 定金 政策\n';

  test.each([
    'Who may?',
    'who-may',
    'Who%20may',
    'setext-heading',
    'In a quote',
    '^block-1',
    'own',
    'braces',
    'notes',
    'notes-1',
    '定金-政策',
    'Notes#Who may?',
  ])('%s is there', anchor => expect(documentAnchors(text).has(anchorKey(anchor))).toBe(true));
  test.each(['No', 'code', 'notes-2', '^block-2', 'who'])('%s is not', anchor =>
    expect(documentAnchors(text).has(anchorKey(anchor))).toBe(false),
  );
});

test('links without an ending are told apart from routes, files and addresses', () => {
  const text =
    '[a](/rules/tone) [b](tone#h) [c](/a/b.png) [d](https://e.org/x) [e](mailto:a) [f](#h) [g](dir/) [h](?q=1) ![i](tone) `[j](tone)`\n';
  expect(extractEndlessLinks(text).map(({ target, anchor }) => [target, anchor])).toEqual([
    ['/rules/tone', null],
    ['tone', 'h'],
  ]);
});

test('prose is what is neither code nor markup', () => {
  const text =
    'One `two` [three](x.md) ![four](y.png) <b>five</b> https://six.org/a me@seven.org [eight] $nine$\n\n# Ten\n\nEleven\n---\n\n    twelve\n';
  const words = proseRanges(text).map(({ start, end }) => text.slice(start, end));
  expect(words.join('|').match(/[a-z]+/gi)).toEqual(['One', 'five']);
});

test('nothing in HTML, in brackets or in a formula is prose', () => {
  for (const source of [
    'a <a href="x">No</a> yes',
    'a <code>No</code> yes',
    '<pre>\nNo\n\nNo\n</pre>\nyes',
    '<pre>No</pre>\n\nyes',
    '<script>\nno("No")\n</script>\nyes',
    '<div>\nNo\n# No\nNo\n\nyes',
    'yes\n<div title="a\nNo">\nNo',
    'yes <img alt="No\nNo">',
    '<details><summary>No</summary>\n\nyes\n</details>\nNo',
    '- <div>\n  No\n\n  yes',
    '<x-y>\nNo\n\nyes',
    '[no\nNo][r] yes',
    '[no [1] No][r] yes',
    '$$\nNo\n$$\nyes',
    '<https://no.org>\nyes',
  ]) {
    const prose = proseRanges(source).map(({ start, end }) => source.slice(start, end));
    expect([source, prose.join('|').match(/No|yes/g)]).toEqual([source, ['yes']]);
  }
});

test('long text without spaces is read once', () => {
  for (const piece of ['字', 'a@', '<', '<a>', '<a ', '<div', '[', '[]', '$', '$$', '^a', '#', '](', '`']) {
    const text = piece.repeat(50_000);
    expect(proseRanges(text).length).toBeGreaterThanOrEqual(0);
    expect(documentAnchors(text).size).toBeLessThan(2);
    expect(extractEndlessLinks(text)).toEqual([]);
  }
});

test('a paragraph may hold any number of links', () => {
  const many = 150_000;
  const text = '[x](a.md) '.repeat(many);
  expect(extractLinks(text).length).toBe(many);
  expect(proseRanges(text).length).toBe(many);
  expect(fixedParts(text).links.length).toBe(many);
});
