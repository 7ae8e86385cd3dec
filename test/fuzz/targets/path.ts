import { posix, win32 } from 'node:path';
import { checkDocumentPath, checkPath, foldPath, isReservedPath, matchGlob, slugify } from '#document';
import { expand, type Grammar } from '../engine/grammar.ts';
import { type FuzzTarget, law } from '../engine/target.ts';

const grammar: Grammar = {
  path: [
    '<segment>.md',
    '<segment>/<segment>.md',
    '<segment>/<segment>',
    '<segment>/<segment>/<segment>.md',
    '/<segment>',
    '<segment>//<segment>',
    '<segment>/',
    '<segment>\\<segment>.md',
    'C:<segment>',
    '<long>/<segment>.md',
  ],
  segment: ['a', '<name>', '<name><name>', '<reserved>', '<reserved><tail>', '<odd>', '<name><tail>'],
  name: [
    'a',
    'B',
    'index',
    'é',
    'e\u0301',
    'ß',
    'SS',
    'ſ',
    'İ',
    'ı',
    'Σ',
    'ς',
    'ﬁ',
    'Å',
    'A\u030a',
    '\u212b',
    '日本',
    '😀',
    'a b',
    '-',
    '\u1e9e',
    'ǆ',
    'ŉ',
    'ᾳ',
    '\u0345',
    '\u0390',
    'ΐ',
    '\u1fd3',
    '\ufb05',
    '\ufb06',
  ],
  reserved: [
    '.git',
    '.GIT',
    '.Git',
    '.ssss',
    '.SSSS',
    '.ssss-intents',
    '.ssss-x',
    'git~1',
    'GIT~1',
    'ssss~1',
    'ssss-i~1',
    '.g\u200dit',
    '.\u200c.git',
    '.git\ufeff',
    '.ſsss',
    '.ßss',
    '.gıt',
    '.gİt',
    '\u200d.git',
    '.git::$INDEX_ALLOCATION',
    '.gitx',
    'x.git',
    '.ssssx',
    '.sss',
    '.gi\u0307t',
    '.s\u00adsss',
  ],
  tail: [
    '',
    '.',
    ' ',
    '. .',
    ':',
    ':a',
    '::$DATA',
    '~1',
    '\u200b',
    '\ufe0f',
    '.md',
    '\u0000',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u00ad',
    '\u{e0001}',
  ],
  odd: [
    '.',
    '..',
    '...',
    '',
    ' ',
    '. ',
    '.. ',
    'con',
    'CON.md',
    'nul',
    'com1',
    'lpt¹',
    'aux .x',
    'a<b',
    'a:b',
    'a"b',
    'a|b',
    'a?b',
    'a*b',
    '**',
    '*',
    '%2e%2e',
    '~',
    '$x',
    'a\tb',
    'a\nb',
    '\u202e',
    '．．',
    '．git',
    '／a',
  ],
  long: ['<segment>', '<fifty><long>', '<fifty>/<long>', '<fifty><fifty><fifty><fifty><fifty><long>'],
  fifty: ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '日本日本日本日本日本日本日本日本'],
};

export interface PathRules {
  readonly checkPath: typeof checkPath;
  readonly checkDocumentPath: typeof checkDocumentPath;
  readonly isReservedPath: typeof isReservedPath;
  readonly foldPath: typeof foldPath;
  readonly matchGlob: typeof matchGlob;
}

export const pathRules: PathRules = { checkPath, checkDocumentPath, isReservedPath, foldPath, matchGlob };

/**
 * Names under which some file system opens a folder of the host, written as the file systems do it and not as the rule is: NTFS and FAT drop
 * what follows a colon and dots and spaces at the end and know short names, HFS+ ignores invisible characters, all but ext4 ignore case.
 */
const opensReserved = (segment: string): boolean => {
  const visible = segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const [stream = ''] = visible.split(':');
  let end = stream.length;
  while (stream[end - 1] === '.' || stream[end - 1] === ' ') end--;
  const name = capitals(stream.slice(0, end).normalize('NFD'));
  return name === '.GIT' || name === '.SSSS' || name.startsWith('.SSSS-') || /^(?:GIT|SSSS|SSSS-\w?)~\d$/.test(name);
};

/** Capitals as file systems pair them: a dotless i is a letter of its own there, though Unicode's capital of it is I. */
const capitals = (text: string): string =>
  text
    .split('ı')
    .map(part => part.toUpperCase())
    .join('ı');

/** A path that is accepted stays in the vault on every system, and means only itself. */
const checkAccepted = (path: string): void => {
  law(posix.normalize(path) === path && !path.endsWith('/'), 'an accepted path is in its normal form', posix.normalize(path));
  law(posix.resolve('/vault', path) === `/vault/${path}`, 'an accepted path stays in the vault', posix.resolve('/vault', path));
  law(
    win32.resolve('D:\\vault', path) === `D:\\vault\\${path.replaceAll('/', '\\')}`,
    'an accepted path stays in the vault on Windows',
    win32.resolve('D:\\vault', path),
  );
  law(!path.includes('\0') && Buffer.from(path).toString() === path, 'an accepted path is a file name in UTF-8');
  for (const segment of path.split('/')) law(!opensReserved(segment), 'an accepted path never reaches a folder of the host', segment);
};

const checkFold = (rules: PathRules, path: string): void => {
  const folded = rules.foldPath(path);
  law(rules.foldPath(folded) === folded, 'the folded form is a fixed point', [folded, rules.foldPath(folded)]);
  for (const form of ['NFC', 'NFD'] as const)
    law(rules.foldPath(path.normalize(form)) === folded, 'both Unicode forms fold alike', {
      form,
      folded,
      other: rules.foldPath(path.normalize(form)),
    });
  law(rules.foldPath(path.toLowerCase()) === folded, 'lower case folds alike', [folded, rules.foldPath(path.toLowerCase())]);
  // The capital of an iota below a letter is a letter beside it; no file system pairs the two.
  if (!path.normalize('NFD').includes('\u0345'))
    law(rules.foldPath(capitals(path)) === folded, 'upper case folds alike', [folded, rules.foldPath(capitals(path))]);
  law(folded.split('/').length === path.split('/').length, 'folding keeps the folders', folded);
};

/** The rules for paths. */
export const createPathTarget = (rules: PathRules = pathRules): FuzzTarget => ({
  name: 'path',
  generate: random => expand(grammar, 'path', random, 6),
  tokens: [
    '/',
    '..',
    '.',
    '\\',
    ':',
    '~1',
    '.git',
    '.ssss',
    '\u200d',
    ' ',
    '.md',
    'é',
    '\u0301',
    'ß',
    'İ',
    'ı',
    'ς',
    '\u0345',
    '\0',
    '*',
    '**',
    '::$DATA',
    'con',
    '\ufeff',
    '\u{1d15e}',
    '\u0344',
  ],
  executions: 8000,
  guidedBy: /\/src\/document\/(?:vault-path|fold-path|glob|slug)/,
  check(input) {
    const path = input.toString('utf8');
    const refused = rules.checkPath(path);
    law(refused !== '', 'a refusal says why');
    const stored = rules.checkDocumentPath(path, { creating: false });
    const created = rules.checkDocumentPath(path, { creating: true });
    law(refused === null || (stored === refused && created === refused), 'what no envelope may name is no document', {
      refused,
      stored,
      created,
    });
    law(stored === null || created !== null, 'what may be created may be addressed', { stored, created });
    law(stored !== null || path.endsWith('.md'), 'a document ends in .md');
    const reserved = path.split('/').some(opensReserved);
    law(rules.isReservedPath(path) === reserved, 'reserved is what opens a folder of the host', {
      ours: rules.isReservedPath(path),
      reserved,
    });
    if (refused === null) checkAccepted(path);
    if (path !== '')
      law(rules.checkDocumentPath(`${slugify(path)}.md`, { creating: true }) === null, 'a slug makes a file name', slugify(path));
    checkFold(rules, path);
    if (refused === null) law(rules.matchGlob('**', path), 'two stars match every path');
    law(rules.matchGlob(path, path), 'a path matches itself as a glob');
  },
});
