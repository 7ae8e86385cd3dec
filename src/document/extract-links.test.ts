import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import { extractLinks, type Link, rewriteLinks } from './index.ts';

const brief = ({ kind, target, anchor, label }: Link): string =>
  `${kind}:${target}${anchor === null ? '' : `#${anchor}`}${label === null ? '' : `|${label}`}`;

describe('links found', () => {
  const rows: [string, string, string[]][] = [
    ['a slug', 'See [[b]].', ['wiki:b']],
    ['a label', '[[b|the b]]', ['wiki:b|the b']],
    ['an anchor', '[[b#h]] [[b#h|x]] [[b#^id]]', ['wiki:b#h', 'wiki:b#h|x', 'wiki:b#^id']],
    ['a path', '[[rules/b.md]] [[/rules/b]]', ['wiki:rules/b.md', 'wiki:/rules/b']],
    ['a table cell', '| [[a\\|b]] | [[c#h\\|d]] |\n|---|---|', ['wiki:a|b', 'wiki:c#h|d']],
    ['an embed', '![[b]]', ['wiki:b']],
    ['spaces in the target', '[[ my note ]]', ['wiki:my note']],
    [
      'Markdown links',
      '[x](b.md) [y](/rules/b.md#h) [z](../c.md "title") [](d.md)',
      ['markdown:b.md|x', 'markdown:/rules/b.md#h|y', 'markdown:../c.md|z', 'markdown:d.md|'],
    ],
    [
      'encoded, escaped and bracketed addresses',
      '[a](my%20b.md) [b](<my b.md>) [c](a\\(1\\).md) [d](a(1).md) [e](50%.md)',
      ['markdown:my b.md|a', 'markdown:my b.md|b', 'markdown:a(1).md|c', 'markdown:a(1).md|d', 'markdown:50%.md|e'],
    ],
    ['definitions', '[r]: /x.md "t"\n[s]: <y z.md>\n\n[f][r] [s]', ['markdown:/x.md|r', 'markdown:y z.md|s']],
    ['a wiki link that is a Markdown label', '[[a]](b.md)', ['markdown:b.md|[a]']],
    ['an image as a label', '[![i](i.png)](w.md)', ['markdown:w.md|![i](i.png)']],
    [
      'links after a heading, in lists and in quotes',
      '# [[a]]\n- [[b]]\n  > [[c]]\n\n1. [d](d.md)',
      ['wiki:a', 'wiki:b', 'wiki:c', 'markdown:d.md|d'],
    ],
    ['CRLF text', 'a\r\n[[b]]\r\n[x](c.md\r\n "t")\r\n', ['wiki:b', 'markdown:c.md|x']],
  ];
  test.each(rows)('%s', (_name, text, expected) => expect(extractLinks(text).map(brief)).toEqual(expected));

  test('places and lines are exact, frontmatter is left out', () => {
    const text = '---\ntype: memory\nup: "[[no]]"\n---\n\nSee [[b|x]].\n[y](/c.md#h)\n';
    const links = extractLinks(text);
    expect(links.map(link => link.line)).toEqual([6, 7]);
    expect(links.map(link => text.slice(link.start, link.end))).toEqual(['[[b|x]]', '[y](/c.md#h)']);
    expect(links.map(link => text.slice(link.targetStart, link.targetEnd))).toEqual(['b', '/c.md']);
  });
});

describe('no links', () => {
  test.each([
    ['a code span', '`[[a]]` ``[x](b.md) ` [[c]]``'],
    ['a fence', '```\n[[a]]\n[x](b.md)\n```'],
    ['a tilde fence with shorter fences inside', '~~~~ md\n[[a]]\n~~~\n[[b]]\n~~~~'],
    ['a fence that is never closed', '```\n[[a]]\n\n[[b]]'],
    ['a fence in a list', '- x\n\n  ```\n  [[a]]\n  ```'],
    ['a fence in a quote', '> ```\n> [[a]]\n> ```'],
    ['indented code', 'x\n\n    [[a]]\n\n    [[b]]'],
    ['an element of code', '<pre>\n[[a]]\n\n[x](b.md)\n</pre>\n\n<script>[x](c.md)</script>\n\n> <style>\n> [x](d.md)\n> </style>'],
    ['a comment', '<!-- [[a]] -->\n\n<!--\n[[b]]\n\n[x](c.md)\n-->\n\nx <!-- [[d]] --> y'],
    ['escaped brackets', '\\[[a]] [x\\](b.md)'],
    ['URLs and other files', '[x](https://e.org/a.md) [y](mailto:a@b.md) [z](//h/a.md) [w](a.png) [v](#h) [[#h]] <https://e.org/a.md>'],
    ['images', '![x](a.md)'],
    ['a footnote', '[^1]: see.md'],
    ['brackets without a target', '[[]] [[ ]] [[|x]] [ ] [a] (b.md)'],
    ['a wiki link over two lines', '[[a\nb]]'],
  ])('%s', (_name, text) => expect(extractLinks(text).map(brief)).toEqual([]));

  test('text after a closed fence is read again', () => {
    expect(extractLinks('```\n[[a]]\n```\n[[b]]\n\n> ```\n> [[c]]\n\n[[d]]').map(brief)).toEqual(['wiki:b', 'wiki:d']);
    expect(extractLinks('- ```\n  [[a]]\n\n[[b]]').map(brief)).toEqual(['wiki:b']);
    expect(extractLinks('```\n> ```\n[[a]]\n```\n[[b]]').map(brief)).toEqual(['wiki:b']);
  });
});

describe('rewriting', () => {
  test('only targets change', () => {
    const text = '[[b|x]] [[b#h]] [[c]] | [[b\\|y]] | [x](b.md "t") [y](<b.md#h>)\n\n```\n[[b]]\n```\n';
    const moved = rewriteLinks(text, link => (link.target === 'b' ? 'new b' : link.target === 'b.md' ? '/r/new (b).md' : null));
    expect(moved).toBe(
      '[[new b|x]] [[new b#h]] [[c]] | [[new b\\|y]] | [x](/r/new%20%28b%29.md "t") [y](</r/new%20%28b%29.md#h>)\n\n```\n[[b]]\n```\n',
    );
  });

  test('links in labels and brackets in addresses stay what they are', () => {
    const rename = (text: string): string => rewriteLinks(text, link => (link.kind === 'wiki' ? 'new' : 'new.md'));
    expect(rename('[see [[a]] here](b.md)')).toBe('[see [[new]] here](new.md)');
    expect(rename('[x]([y](a.md).md) [[z]]')).toBe('[x](new.md) [[new]]');
    expect(rename('[x]([[a]].md) ![i]([[b]]) [u](http://e/[[c]])')).toBe('[x](new.md) ![i]([[b]]) [u](http://e/[[c]])');
  });

  test('a target that a wiki link cannot hold is refused', () => {
    for (const target of ['a|b', 'a#b', 'a]b', 'a\nb']) expect(() => rewriteLinks('[[x]]', () => target)).toThrow('wiki link');
  });

  test('any Markdown target reads back as it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), name => {
        const target = `/x/${name.trim()}.md`;
        const text = rewriteLinks('a [x](b.md) c', () => target);
        expect(extractLinks(text).map(link => link.target)).toEqual([target]);
      }),
    );
  });

  test('rewriting nothing changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(rewriteLinks(text, () => null)).toBe(text);
        expect(rewriteLinks(text, link => link.target)).toBe(text);
      }),
    );
  });
});

describe('agreement with a full Markdown reader', () => {
  const lines = [
    'text [a](a.md) more',
    '[b](<b c.md> "t")',
    '`code` [c](c.md) ``x ` y``',
    '```',
    '~~~',
    '> quoted [d](d.md)',
    '> ```',
    '- item [e](e.md)',
    '  - [f](f.md)',
    '    [g](g.md)',
    '1. [h](h.md',
    '   "title")',
    '# [i](i.md)',
    '[j]: j.md',
    '\\[k](k.md) [l\\]](l.md)',
    '[m [n](n.md)](m.md)',
    '![o](o.md) [![p](p.png)](p.md)',
    '[q](q(1).md) [r](r(.md)',
    '',
    '',
  ];
  const mdastTargets = (text: string): string[] => {
    const targets: string[] = [];
    const walk = (node: { type: string; url?: string; children?: readonly unknown[] }): void => {
      if ((node.type === 'link' || node.type === 'definition') && node.url?.endsWith('.md')) targets.push(node.url);
      for (const child of node.children ?? []) walk(child as typeof node);
    };
    walk(fromMarkdown(text));
    return targets.sort();
  };

  test('finds the same links in random documents', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { maxLength: 10 }), chosen => {
        const text = chosen.join('\n');
        const ours = extractLinks(text)
          .map(link => link.target)
          .sort();
        expect(ours).toEqual(mdastTargets(text));
      }),
      { numRuns: 200 },
    );
  });
});

test('hostile text is read without going over it again and again', () => {
  const hostile = [
    '[',
    '![',
    '[a](',
    '[[',
    '`',
    '<!--',
    '*a_ ',
    '> ',
    '- ',
    '](a "',
    '](a (',
    '[a]: ',
    '](<',
    '\\',
    '[](x',
    '    x\n\n',
    '``` \n',
    '| \n',
  ];
  for (const piece of hostile) expect(extractLinks(piece.repeat(10_000))).toEqual([]);
  for (const space of [' ', '\n', '\t']) expect(extractLinks(`[a](${space.repeat(200_000)}x`)).toEqual([]);
});
