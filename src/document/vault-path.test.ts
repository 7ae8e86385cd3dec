import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkDocumentPath, checkPath, foldPath, isIndexPath, isReservedPath, matchGlob } from './index.ts';

describe('paths refused for every envelope', () => {
  const refused = [
    '',
    '/etc/x',
    '../x.md',
    'a/../b.md',
    'a/./b',
    'a//b',
    'a/',
    'a\\..\\b',
    'C:x.md',
    'c:/x.md',
    'a\u0000b',
    'a\nb.md',
    'a\u007fb.md',
    'a\ud800.md',
    '\udc00/x.md',
    '.ssss-intents/x',
    '.git/hooks/post-commit',
    'a/.git/x.md',
    '.GIT/config',
    '.gIt',
    '.ssss/events/1.md',
    '.SSSS/x',
    '.ſſſſ/x.md',
    '.ssss-anything/x',
    'git~1/config',
    'GIT~2/config',
    'ssss-i~1/x.md',
    'SSSS-~1/x.md',
    'GIT~1/hooks',
    'ssss~1/x.md',
    '.g\u200bit/config',
    '.\ufeffgit/config',
    '\u200c.git/config',
    '.ss\u200dss/x',
    '.git./x.md',
    '.git /x.md',
    '.git::$INDEX_ALLOCATION/x.md',
    '.ssss. ./x.md',
    `${'a'.repeat(256)}.md`,
    `${'é'.repeat(127)}.md`,
    `${'a/'.repeat(511)}aaa`,
  ];
  test.each(refused)('%j is refused with a reason', path => {
    expect(checkPath(path)).toMatch(/\.$/);
    expect(checkDocumentPath(path, { creating: false })).toMatch(/\.$/);
  });

  const accepted = [
    'a.md',
    'orders/1',
    'a b/ü.md',
    '.github/x.md',
    '.hidden.md',
    'git/x.md',
    'a/.gitignore.md',
    'agit~1.md',
    'ssss-in~1/x.md',
    '.ssssx/y.md',
    '...md',
    'order:1',
    'x/%2e%2e/y.md',
  ];
  test.each(accepted)('%j is accepted', path => expect(checkPath(path)).toBeNull());

  test('segments of 255 bytes and paths of 1,024 bytes are accepted', () => {
    expect(checkPath(`${'a'.repeat(252)}.md`)).toBeNull();
    expect(checkPath(`${'a/'.repeat(510)}aaaa`)).toBeNull();
  });

  test('a reserved segment is reserved at any depth', () => {
    expect(isReservedPath('a/b/.Git/c')).toBe(true);
    expect(isReservedPath('a/b/.ssss-x')).toBe(true);
    expect(isReservedPath('a/b/c.md')).toBe(false);
  });
});

describe('paths refused for documents', () => {
  test.each(['a', 'a.txt', 'a.MD', 'a.md/b'])('%j does not end in .md', path => {
    expect(checkDocumentPath(path, { creating: false })).toContain("'.md'");
  });

  const unportable = [
    'a<b.md',
    'a>b.md',
    'x/a:b.md',
    'a"b.md',
    'a|b.md',
    'a?.md',
    '*.md',
    'a./b.md',
    'a /b.md',
    'con.md',
    'CON/x.md',
    'prn.tar.md',
    'Aux.md',
    'nul.md',
    'com1.md',
    'LPT9.x.md',
    'nul .md',
  ];
  test.each(unportable)('%j cannot be created but can be addressed', path => {
    expect(checkDocumentPath(path, { creating: true })).toMatch(/\.$/);
    expect(checkDocumentPath(path, { creating: false })).toBeNull();
  });

  test.each(['a.md', 'console.md', 'com10.md', 'x/会议.md', '.md', "it's (1).md"])('%j can be created', path => {
    expect(checkDocumentPath(path, { creating: true })).toBeNull();
  });
});

describe('folding', () => {
  const twins = [
    ['a/Team.md', 'A/team.md'],
    ['stra\u00dfe.md', 'STRASSE.md'],
    ['\u1e9e.md', 'ss.md'],
    ['caf\u00e9.md', 'cafe\u0301.md'],
    ['\u03a3\u03a5\u03a3.md', '\u03c3\u03c5\u03c2.md'],
    ['\u212a.md', 'k.md'],
    ['\ufb03.md', 'FFI.md'],
    ['\u0130x.md', 'i\u0307x.md'],
    ['\u1fb3.md', '\u03b1\u03b9.md'],
  ] as const;
  test.each(twins)('%j and %j are twins', (left, right) => expect(foldPath(left)).toBe(foldPath(right)));

  test('different letters stay different', () => {
    expect(foldPath('\u0131.md')).not.toBe(foldPath('i.md'));
    expect(foldPath('e.md')).not.toBe(foldPath('\u00e9.md'));
  });

  test('every letter folds like its simple case partners', () => {
    const wrong: string[] = [];
    for (let code = 0x80; code < 0x1e944; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const letter = String.fromCodePoint(code);
      const partner = letter.toLowerCase() === letter ? letter.toUpperCase() : letter.toLowerCase();
      if (partner === letter || Array.from(partner).length !== 1) continue;
      if (new RegExp(`^${letter}$`, 'iu').test(partner) && foldPath(letter) !== foldPath(partner)) wrong.push(letter);
    }
    expect(wrong).toEqual([]);
  });

  test('folding is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(foldPath(foldPath(text))).toBe(foldPath(text));
      }),
    );
  });
});

test('an index is exactly index.md at any depth', () => {
  expect(['index.md', 'a/index.md', 'a/b/index.md'].every(isIndexPath)).toBe(true);
  expect(['Index.md', 'a/xindex.md', 'index.md/a.md', 'index.markdown'].some(isIndexPath)).toBe(false);
});

describe('globs', () => {
  const rows: [string, string, boolean][] = [
    ['orders/**', 'orders/a/b', true],
    ['orders/**', 'orders', true],
    ['orders/**', 'orders2/a', false],
    ['**', 'a/b', true],
    ['**/x.md', 'x.md', true],
    ['**/x.md', 'a/b/x.md', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/x/y/c', false],
    ['*.md', 'a.md', true],
    ['*.md', 'a/b.md', false],
    ['*', '', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXbY', false],
    ['a?c', 'abc', false],
    ['a?c', 'a?c', true],
    ['[a].md', '[a].md', true],
    ['A.md', 'a.md', false],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['**/**/x', 'a/x', true],
    ['a.md', 'a.md.md', false],
  ];
  test.each(rows)('%j against %j is %j', (glob, path, expected) => expect(matchGlob(glob, path)).toBe(expected));

  test('a glob full of stars answers at once', () => {
    expect(matchGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(1000))).toBe(false);
    expect(matchGlob(`${'**/a/'.repeat(300)}b`, 'a/'.repeat(1000))).toBe(false);
  });
});
