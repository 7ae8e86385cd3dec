import type { Random } from '#adapter-contracts/testing';
import { conflictMarkers, extractLinks, type Link, parseRecords, resolveLink, rewriteLinks, slugify } from '#document';
import { below, chance, pick, several } from '../engine/choose.ts';
import { readsInLinearTime } from '../engine/linear-time.ts';
import { type FuzzTarget, law } from '../engine/target.ts';

const pieces: readonly string[] = [
  ...[
    '[[a]]',
    '[[a|b]]',
    '[[a#h|b]]',
    '[[a\\|b]]',
    '[[ ]]',
    '[[a',
    ']]',
    '[[[a]]]',
    '[x](a.md)',
    '[x](a.md#h "t")',
    '[x](<a b.md>)',
    '[x](../a.md)',
    '![i](a.md)',
    '[x][y]',
    '[y]: a.md\n',
    '[x](a.md',
    '[x](a%20b.md)',
    '[x](%zz.md)',
    '[x](a(b).md)',
  ],
  ...[
    '`',
    '``',
    '```\n',
    '~~~\n',
    '`[[a]]`',
    '<!--',
    '-->',
    '<!-- [[a]] -->',
    '\\',
    '\\[',
    '\\`',
    '> ',
    '>',
    '- ',
    '1. ',
    '    ',
    '  ',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    '# ',
    '### ',
    '---\n',
    '***',
  ],
  ...[
    '### turn 1 — user — 2026-05-16T14:00:00Z\n',
    '### step 2 — x — 2026-05-16T08:00:01Z — ok\n',
    ' — ',
    '<<<<<<< ours\n',
    '=======\n',
    '>>>>>>> theirs\n',
    'text',
    'é',
    '日本',
    '\u2028',
    '(',
    ')',
    '[',
    ']',
    '<',
    '"',
    "'",
    '|',
    '!',
  ],
];

const line = (random: Random): string => several(random, 6, () => pick(random, pieces)).join('');

/** Documents of Markdown pieces, and now and then one piece over and over: what is slow on it is slow on purpose. */
const generate = (random: Random): string => {
  if (chance(random, 0.05)) return line(random).slice(0, 24);
  if (chance(random, 0.02)) return `${line(random)}${pick(random, pieces).repeat(200 + below(random, 800))}${line(random)}`;
  const front = chance(random, 0.3) ? pick(random, ['---\ntype: rule\n---\n', '---\nx: "[[a]]"\n---\n', '---\n']) : '';
  return front + several(random, 8, () => `${line(random)}${chance(random, 0.8) ? '\n' : ''}`).join('');
};

export interface MarkdownReaders {
  readonly extractLinks: typeof extractLinks;
  readonly rewriteLinks: typeof rewriteLinks;
  readonly parseRecords: typeof parseRecords;
  readonly conflictMarkers: typeof conflictMarkers;
}

export const markdownReaders: MarkdownReaders = { extractLinks, rewriteLinks, parseRecords, conflictMarkers };

/** Another target of the same shape: a space or a parenthesis more or less could make a link of what is none. */
const newTarget = ({ kind, target }: Link): string => (kind === 'wiki' ? target.replace(/[\p{L}\p{N}\r\\[\]|#]/gu, 'n') : 'new.md');

const checkLinks = ({ extractLinks: extract, rewriteLinks: rewrite }: MarkdownReaders, text: string): void => {
  const links = extract(text);
  let last = -1;
  for (const { kind, target, start, end, targetStart, targetEnd, line: lineNumber } of links) {
    law(
      start > last && start <= targetStart && targetStart <= targetEnd && targetEnd <= end && end <= text.length,
      'a link lies in the text, behind the one before',
      { start, end },
    );
    law(text[start] === '[' && target !== '', 'a link starts with a bracket and has a target', text.slice(start, end));
    law(kind === 'markdown' || text.slice(targetStart, targetEnd) === target, 'the target of a wiki link stands in the text', target);
    law(lineNumber === text.slice(0, start).split('\n').length, 'a link has its line', lineNumber);
    last = start;
  }
  law(rewrite(text, () => null) === text, 'leaving every link alone changes no byte');
  const renamed = rewrite(text, newTarget);
  const found = extract(renamed).map(({ target }) => target);
  // An address with spaces in it is written with escapes, which can make a link of the text around it.
  const plain = links.every(
    ({ kind, targetStart, targetEnd }) => kind === 'wiki' || !/[\s()<>\\]/.test(text.slice(targetStart, targetEnd)),
  );
  law(!plain || JSON.stringify(found) === JSON.stringify(links.map(newTarget)), 'every link can be renamed', { renamed, found });
  const lookup = { exists: (path: string) => path.length % 2 === 0, named: (name: string) => [`${name}.md`] };
  for (const link of links) {
    const resolved = resolveLink(link, 'folder/from.md', lookup);
    if (resolved.kind === 'resolved') law(!resolved.path.split('/').includes('..'), 'a link never leaves the vault', resolved);
  }
};

const checkRecords = (readers: MarkdownReaders, text: string): void => {
  let last = 0;
  for (const { start, end, text: content, line: lineNumber } of readers.parseRecords(text)) {
    law(start >= last && end > start && end <= text.length, 'a record lies in the text, behind the one before', { start, end });
    law(text.slice(start, end).includes(content), 'a record holds its own text', content);
    law(lineNumber === text.slice(0, start).split('\n').length, 'a record has its line', lineNumber);
    last = end;
  }
};

const checkMarkers = (readers: MarkdownReaders, text: string): void => {
  const lines = text.split('\n');
  for (const { line: lineNumber = 0 } of readers.conflictMarkers(text))
    law(/^(?:<{7}|>{7})(?: |\r?$)/.test(lines[lineNumber - 1] ?? ''), 'a conflict starts on the line it names', lineNumber);
};

/** What is read from Markdown bodies: links, records, conflict markers. */
export const createMarkdownTarget = (readers: MarkdownReaders = markdownReaders): FuzzTarget => ({
  name: 'markdown',
  generate,
  tokens: pieces,
  executions: 3000,
  guidedBy: /\/src\/document\/(?:markdown-|extract-links|rewrite-links|resolve-link|append-records|conflict-markers)/,
  check(input) {
    const text = input.toString('utf8');
    checkLinks(readers, text);
    checkRecords(readers, text);
    checkMarkers(readers, text);
    // Dear, and the inputs that matter are short: one in some fifty.
    if (text.length > 24 || text.length % 8 !== 3) return;
    readsInLinearTime(text, long => {
      readers.extractLinks(long);
      readers.parseRecords(long);
      readers.conflictMarkers(long);
      slugify(long);
    });
  },
});
