import type { Random } from '#adapter-contracts/testing';
import { below, chance, pick, several } from '../engine/choose.ts';
import { expand, type Grammar } from '../engine/grammar.ts';

/** Values on one line, from plain to odd. */
const scalars: Grammar = {
  value: ['<plain>', '<plain>', '<double>', '<single>', '<flow>', '<plain> # note', '<double>\t# note', '', '# note', '<odd>'],
  plain: [
    'a',
    '<word>',
    '<word> <word>',
    '<number>',
    '<time>',
    '<typed>',
    '<word>:<word>',
    '<word>#<word>',
    '<word> <word>  <word>',
    'http://x/y',
  ],
  word: [
    'a',
    'b',
    'context',
    'é',
    '日本',
    '😀',
    'x_1',
    '/a/b.md',
    './x',
    '..',
    '$5',
    'don’t',
    'a\u00a0b',
    'a\u2028b',
    'a\u0085b',
    '-a',
    '?a',
    ':a',
    'a-b',
  ],
  number: [
    '0',
    '42',
    '-5',
    '-0',
    '+42',
    '007',
    '-012',
    '0x1F',
    '0o17',
    '1_000',
    '1,000',
    '9007199254740993',
    '1.10',
    '.5',
    '-.5',
    '00.5',
    '5.',
    '1e3',
    '1.5e-3',
    '.inf',
    '.nan',
    '1.2.3',
    '9007199254740991',
  ],
  time: ['2026-05-16T14:00:00Z', '2026-05-16', '12:30', '2026-05-16 14:00:00', '190:20:30'],
  typed: ['true', 'false', 'null', '~', 'Null', 'TRUE', 'yes', 'no', 'on', 'y', '<<', '='],
  double: ['"a"', '"<inner>"', '"<inner><inner>"', '""', '"a # b"', '"a: b"'],
  inner: [
    'a',
    ' ',
    '\\n',
    '\\"',
    '\\\\',
    '\\u00e9',
    '\\x41',
    '\\U0001F600',
    '\\t',
    '\\ ',
    '\\N',
    '\\0',
    "'",
    '\\/',
    'é',
    '#',
    ': ',
    '\\p',
    '\\ud800',
  ],
  single: ["'a'", "'it''s'", "''", "'a\\nb'", '\'a "b"\'', "'a: b # c'"],
  flow: ['[]', '{}', '[<items>]', '{<pairs>}', '[<items>,]', '{ <pairs> , }'],
  items: ['<item>', '<item>, <item>', '<item>,<item> , <item>'],
  item: ['a', '<word>', '<number>', '<typed>', '<double>', '<single>', '<flow>', '<word>:<word>'],
  pairs: ['a: <item>', 'a: <item>, b: <item>', '"q": <item>', '"q":<item>', "'s': <item>, t: <item>", 'k:', 'k'],
  odd: [
    'a: b',
    '@x',
    '`x`',
    '%x',
    '&a x',
    '*a',
    '!!str 5',
    '? a',
    '- a',
    '|',
    '>',
    '"a',
    "'a",
    '[a',
    '{a: 1',
    '"a" b',
    '[a] b',
    ', a',
    ']',
    '}',
    '#',
    '...',
    '---',
    'a:',
    ': a',
    '[a,, b]',
    '[a: b]',
    '[? a]',
    '{a}',
    '{: 1}',
  ],
  key: [
    'k',
    '<word>',
    'a b',
    '"q k"',
    "'s k'",
    '@id',
    '__proto__',
    'constructor',
    '1',
    'true',
    'null',
    'a.b',
    'a-b',
    '日本',
    '__body__',
    '<<',
    '"\\u0041"',
    '-a',
    '?b',
    ':c',
    '"a:b"',
    '... a',
    "it's",
    'k"k',
  ],
};

const blocks = ['|', '>', '|-', '>-', '|+', '>+', '|2', '>2-', '>-1', '| # note', '>x'];
const gaps = ['', '', '', '', '\n', '# note\n', '  # note\n', ' \t\n', '\n\n'];

/** Lines of one key and its value, the key in column `indent`; values may nest. */
const entry = (random: Random, indent: number, depth: number): string => {
  const key = `${chance(random, 0.6) ? `k${below(random, 9)}` : expand(scalars, 'key', random)}${chance(random, 0.05) ? ' ' : ''}`;
  return `${pick(random, gaps)}${' '.repeat(indent)}${key}:${afterKey(random, indent, depth)}`;
};

const afterKey = (random: Random, indent: number, depth: number): string => {
  const kind = below(random, depth > 0 ? 10 : 4);
  if (kind < 4) return ` ${expand(scalars, 'value', random)}\n`;
  if (kind === 4) return ` ${pick(random, blocks)}\n${textLines(random, indent + 1 + below(random, 3))}`;
  if (kind === 5) return ` ${wrapped(random, indent + 1 + below(random, 2))}\n`;
  if (kind === 6) return `\n${several(random, 3, () => entry(random, indent + 2, depth - 1)).join('')}`;
  if (kind === 7) return `${chance(random, 0.2) ? ' # note' : ''}\n${list(random, indent, depth - 1)}`;
  return `\n${list(random, indent + 1 + below(random, 3), depth - 1)}`;
};

const textLines = (random: Random, indent: number): string =>
  several(random, 4, () =>
    chance(random, 0.25)
      ? `${' '.repeat(below(random, indent + 2))}\n`
      : `${' '.repeat(indent + (chance(random, 0.2) ? 2 : 0))}${expand(scalars, 'word', random)} text\n`,
  ).join('');

/** A text, quoted or not, or an inline collection over several lines. */
const wrapped = (random: Random, indent: number): string => {
  const next = `\n${chance(random, 0.2) ? '\n' : ''}${' '.repeat(indent)}`;
  return pick(random, [
    `a${next}b c`,
    `"a${next}b"`,
    `"a \\${next}b\\n"`,
    `'a${next}it''s'`,
    `[a,${next}b]`,
    `[a # n${next}, b${next}]`,
    `{a: 1,${next}b: 2}`,
    `{a:${next}1}`,
  ]);
};

const list = (random: Random, indent: number, depth: number): string =>
  several(random, 3, () => `${pick(random, gaps)}${' '.repeat(indent)}-${item(random, indent, depth)}`).join('') ||
  `${' '.repeat(indent)}- a\n`;

const item = (random: Random, indent: number, depth: number): string => {
  const gap = ' '.repeat(1 + below(random, 2));
  const kind = below(random, depth > 0 ? 8 : 3);
  if (kind < 3) return `${gap}${expand(scalars, 'value', random)}\n`;
  if (kind < 6) {
    const column = indent + 1 + gap.length;
    const lines = Array.from({ length: 1 + below(random, 3) }, () =>
      entry(random, column, depth - 1).replace(/^(?:[ \t]*(?:#.*)?\n)+/, ''),
    );
    return `${gap}${lines.join('').slice(column)}`;
  }
  if (kind === 6) return `${gap}-${item(random, indent + 1 + gap.length, depth - 1)}`;
  return `\n${list(random, indent + 2, depth - 1)}`;
};

const bodies = ['', '', 'Body\n', '\nBody\n---\nx: 1\n---\n', '---\nk: 1\n---\n', 'no line end'];

/** A document whose frontmatter is mostly well-formed. */
export const generateDocument = (random: Random): string => {
  const indent = chance(random, 0.05) ? 2 : 0;
  const entries = several(random, 5, () => entry(random, indent, 3)).join('');
  const fence = pick(random, ['---', '---', '---', '---  ', '---\t']);
  const text = `${fence}\n${entries}${pick(random, gaps)}---\n${pick(random, bodies)}`;
  return (chance(random, 0.03) ? '\ufeff' : '') + (chance(random, 0.15) ? text.replaceAll('\n', '\r\n') : text);
};

export const frontmatterTokens: readonly string[] = [
  ...[
    '---\n',
    '\n---\n',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '  ',
    '    ',
    ': ',
    ':',
    ' #',
    '#',
    '- ',
    '-\n',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ', ',
    ',',
    '|',
    '>',
    '|+\n',
    '>-\n',
  ],
  ...[
    '\\',
    '\\u',
    '\\ud83d\\ude00',
    '&',
    '*',
    '!',
    '?',
    '? ',
    '@',
    '`',
    '%',
    '~',
    'null',
    'true',
    'k: 1\n',
    'k:\n',
    '  - a\n',
    '  k: v\n',
    '\ufeff',
    '\u2028',
    '\u0085',
    '\0',
    '\ud7ff',
    '...',
    '<<',
  ],
  ...['__proto__: 1\n', '__body__: x\n', 'constructor: {}\n', '"__proto__": a\n', '[[[[', '{a: {b: ', "''", '""', '1.0', '-0', '007', '.5'],
];
