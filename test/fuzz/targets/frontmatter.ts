import { createDocument, type Document, parseDocument, patchDocument } from '#document';
import { isVaultError } from '#errors';
import { readsInLinearTime } from '../engine/linear-time.ts';
import { type FuzzTarget, law, outcome } from '../engine/target.ts';
import { frontmatterTokens, generateDocument } from './frontmatter-grammar.ts';
import { agreesWithReaders } from './yaml-agreement.ts';

/** The functions under test; the proofs that the laws can fail put broken ones in their place. */
export interface DocumentReader {
  readonly parseDocument: typeof parseDocument;
  readonly createDocument: typeof createDocument;
  readonly patchDocument: typeof patchDocument;
}

export const documentReader: DocumentReader = { parseDocument, createDocument, patchDocument };

const json = (value: unknown): string => JSON.stringify(value);

/** Offsets and lines that a document gives must be its own. */
const checkLayout = (text: string, document: Document): void => {
  const { data, layout, body } = document;
  const keys = layout.entries.map(({ key }) => key);
  law(keys.length === Object.keys(data).length && new Set(keys).size === keys.length, 'each key has one entry', keys);
  let last = text.indexOf('\n') + 1;
  for (const { key, value, start, end, commentAt } of layout.entries) {
    law(start >= last && end > start && end <= layout.fenceStart, 'entries follow each other between the fences', key);
    law(text[start - 1] === '\n' && text[end - 1] === '\n', 'an entry is made of whole lines', key);
    law(commentAt === -1 || (commentAt >= start && commentAt < end), 'a comment lies in its entry', key);
    law(Object.hasOwn(data, key) && json(data[key]) === json(value), 'an entry holds its value', key);
    law(document.lineOf(key) === text.slice(0, start).split('\n').length, 'a key has its line', key);
    last = end;
  }
  law(/^---[ \t]*(?:\r?\n|$)/.test(text.slice(layout.fenceStart)), 'the closing fence stands where the layout says');
  law(text.slice(layout.bodyStart) === body, 'the body is what follows the closing fence');
  law(document.bodyLine === text.slice(0, layout.bodyStart).split('\n').length, 'the body has its line', document.bodyLine);
};

type Placed = readonly { readonly field: string; readonly issue: string; readonly line?: number; readonly column?: number }[];

const checkIssues = (text: string, issues: Placed): void => {
  const lines = text.split('\n');
  for (const { field, issue, line = 0, column = 0 } of issues) {
    law(field !== '' && issue !== '', 'an issue names a field and says what is wrong');
    law(line >= 1 && line <= lines.length, 'an issue has a line of the text', { issue, line });
    law(column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 1, 'an issue has a column of its line', { issue, line, column });
  }
};

/** Keys that a hand can write and nobody can patch: they hold a control character or a line break, or are empty. */
const holdsUnwritableKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  if (!Array.isArray(value) && entries.some(([key]) => key === '' || /[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(key))) return true;
  return entries.some(([, member]) => holdsUnwritableKey(member));
};

/** What is written from the data reads back as the data, and writing that once more changes nothing. */
const checkCanonical = (reader: DocumentReader, { data, body }: Document): void => {
  const written = outcome(() => reader.createDocument(data, body));
  if ('thrown' in written) {
    const refused = isVaultError(written.thrown) && written.thrown.code === 'invalid_request';
    law(refused && holdsUnwritableKey(data), 'what was read can be written', String(written.thrown));
    return;
  }
  const again = reader.parseDocument(written.value);
  law(again.kind === 'document', 'canonical text is a document', again);
  law(json(again.document.data) === json(data), 'canonical text reads back as the same data', again.document.data);
  law(again.document.body === body, 'canonical text keeps the body');
  const warned = again.document.warnings.filter(({ field }) => field !== 'body');
  law(warned.length === 0, 'canonical text earns no warning', warned);
  law(reader.createDocument(again.document.data, body) === written.value, 'canonical text is a fixed point');
  agreesWithReaders(written.value, again);
};

const checkPatches = (reader: DocumentReader, document: Document): void => {
  law(reader.patchDocument(document, {}, 'replace').text === document.text, 'an empty patch changes no byte');
  if (holdsUnwritableKey(document.data)) return;
  law(reader.patchDocument(document, document.data, 'replace').text === document.text, 'a patch of what is there changes no byte');
};

const checkLineEnds = (reader: DocumentReader, { text, data }: Document): void => {
  if (text.includes('\r')) return;
  const crlf = reader.parseDocument(text.replaceAll('\n', '\r\n'));
  law(crlf.kind === 'document' && json(crlf.document.data) === json(data), 'CRLF and LF read alike', { crlf, data });
};

/** The frontmatter parser and writer: what is read is written back, and two YAML readers see the same. */
export const createFrontmatterTarget = (reader: DocumentReader = documentReader): FuzzTarget => ({
  name: 'frontmatter',
  generate: generateDocument,
  tokens: frontmatterTokens,
  executions: 3000,
  guidedBy: /\/src\/document\/(?!.*\.test\.)/,
  check(input) {
    const text = input.toString('utf8');
    // Dear: one in some hundred.
    if (text.length % 128 === 20) readsInLinearTime(text.slice(4, 20), long => reader.parseDocument(`---\nk: ${long}\n---\n`));
    const parsed = reader.parseDocument(text);
    law(json(reader.parseDocument(text)) === json(parsed), 'reading twice gives the same');
    agreesWithReaders(text, parsed);
    if (parsed.kind === 'ordinary')
      return law(parsed.text === text && parsed.reason !== '', 'ordinary Markdown keeps its text and has a reason');
    if (parsed.kind === 'invalid') {
      law(parsed.text === text && parsed.issues.length > 0, 'a refusal keeps the text and says why');
      return checkIssues(text, parsed.issues);
    }
    const { document } = parsed;
    law(document.text === text, 'a document keeps its text');
    checkLayout(text, document);
    checkIssues(text, document.warnings);
    checkCanonical(reader, document);
    checkPatches(reader, document);
    checkLineEnds(reader, document);
  },
});
