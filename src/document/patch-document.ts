import { VaultError } from '#errors';
import type { Document, EntrySpan } from './document.ts';
import { checkKey, toExpressible } from './expressible-value.ts';
import { bodyKey, maximumFrontmatterBytes } from './frontmatter-limits.ts';
import { entryLines } from './frontmatter-writer.ts';
import { parseDocument } from './parse-document.ts';
import { sameValue } from './same-value.ts';
import { isWellFormed } from './utf8.ts';
import { emptyMap, type FrontmatterMap, hasKey, type Value } from './value.ts';

/**
 * Merges patches into a document (§6.2): only the entries whose value changes are rewritten, new keys go just before the
 * closing fence, every other byte stays (FC1, FC2). `__body__` replaces the body or is appended to it (Q16, Q17).
 * Keys and values that frontmatter cannot hold are `invalid_request`; a result that would not read back as intended is
 * `internal_error`.
 *
 * @example patchDocument(document, { status: 'done' }, 'replace').text
 */
export const patchDocument = (document: Document, patches: Readonly<Record<string, unknown>>, body: 'replace' | 'append'): Document => {
  const changes = toChanges(patches);
  const bodyPatch = readBodyPatch(patches);
  const head = patchFrontmatter(document, changes);
  checkSize(head, document);
  const text = head + patchBody(document, bodyPatch, body);
  return text === document.text ? document : readBack(text, document, changes, body, bodyPatch);
};

/**
 * The canonical text of a new document: `---`, the entries in the order of `data`, `---`, and the body as given.
 *
 * @example createDocument({ type: 'rule', title: 'Be kind' }, '\nAlways.\n')
 */
export const createDocument = (data: Readonly<Record<string, unknown>>, body: string): string => {
  checkBody(body);
  if (hasKey(data, bodyKey)) checkKey(bodyKey, '');
  const changes = toChanges(data);
  const lines = Object.keys(changes).flatMap(key => entryLines(key, changes[key] as Value, 0));
  return ['---', ...lines, '---', body].join('\n');
};

/** The frontmatter part of the patches, checked and on a null-prototype map. */
const toChanges = (patches: Readonly<Record<string, unknown>>): FrontmatterMap => {
  if (typeof patches !== 'object' || patches === null || Array.isArray(patches)) {
    throw new VaultError('invalid_request', {}, 'The patches must be an object of keys and values.');
  }
  const changes = emptyMap();
  for (const key of Object.keys(patches)) {
    if (key === bodyKey) continue;
    checkKey(key, '');
    changes[key] = toExpressible(patches[key], key, 2);
  }
  return changes;
};

const readBodyPatch = (patches: Readonly<Record<string, unknown>>): string | null => {
  if (!hasKey(patches, bodyKey)) return null;
  const body = patches[bodyKey];
  checkBody(body);
  return body;
};

function checkBody(body: unknown): asserts body is string {
  if (typeof body !== 'string') throw new VaultError('invalid_request', {}, `'${bodyKey}' must be a string.`);
  if (!isWellFormed(body)) throw new VaultError('invalid_request', {}, 'The body holds a lone surrogate.');
}

/** Everything before the body, with the changed entries rewritten and the new ones added. */
const patchFrontmatter = (document: Document, changes: FrontmatterMap): string => {
  const { text, data, layout, lineEnding } = document;
  const added: string[] = [];
  const rewritten = new Map<EntrySpan, string>();
  for (const key of Object.keys(changes)) {
    const value = changes[key] as Value;
    const lines = (): string[] => entryLines(key, value, layout.indent);
    const entry = layout.entries.find(candidate => candidate.key === key);
    if (entry === undefined) added.push(...lines().map(line => line + lineEnding));
    else if (!sameValue(data[key] as Value, value)) rewritten.set(entry, rewriteEntry(text, entry, lines()));
  }
  let result = '';
  let from = 0;
  for (const entry of layout.entries) {
    const replacement = rewritten.get(entry);
    if (replacement === undefined) continue;
    result += text.slice(from, entry.start) + replacement;
    from = entry.end;
  }
  return result + text.slice(from, layout.fenceStart) + added.join('') + text.slice(layout.fenceStart, layout.bodyStart);
};

const checkSize = (head: string, { text, layout }: Document): void => {
  const block = head.slice(text.indexOf('\n') + 1, head.length - (layout.bodyStart - layout.fenceStart));
  if (block.length * 3 <= maximumFrontmatterBytes || Buffer.byteLength(block) <= maximumFrontmatterBytes) return;
  const issue = 'The frontmatter would be larger than 1 MiB: move text into the body.';
  throw new VaultError('validation_failed', { issues: [{ field: 'frontmatter', issue }] }, issue);
};

/** The entry's new lines, with the line ending it had and the comment that stood on its key's line. */
const rewriteEntry = (text: string, entry: EntrySpan, lines: readonly string[]): string => {
  const lineFeed = text.indexOf('\n', entry.start);
  const lineEnd = text[lineFeed - 1] === '\r' ? lineFeed - 1 : lineFeed;
  const comment = entry.commentAt >= 0 && entry.commentAt < lineEnd ? text.slice(entry.commentAt, lineEnd) : '';
  const [first, ...rest] = lines;
  return [first + comment, ...rest, ''].join(text.slice(lineEnd, lineFeed + 1));
};

/** What follows the closing fence's line. A line end that is missing there is added once something follows it. */
const patchBody = (document: Document, patch: string | null, mode: 'replace' | 'append'): string => {
  const { body, lineEnding } = document;
  if (patch === null || (patch === '' && mode === 'append')) return body;
  const fenceEnd = endsInLineFeed(document.text.slice(0, document.layout.bodyStart)) || patch === '' ? '' : lineEnding;
  if (mode === 'replace') return fenceEnd + patch;
  return fenceEnd + body + (body === '' || endsInLineFeed(body) ? '' : lineEnding) + patch;
};

const endsInLineFeed = (text: string): boolean => text.charCodeAt(text.length - 1) === 10;

/** Reads the patched text back and holds it against the law FC2 before anyone may store it. */
const readBack = (text: string, before: Document, changes: FrontmatterMap, mode: 'replace' | 'append', patch: string | null): Document => {
  const parsed = parseDocument(text);
  const lawful =
    parsed.kind === 'document' &&
    holdsChanges(parsed.document.data, before.data, changes) &&
    isExpectedBody(parsed.document.body, before, mode, patch);
  if (!lawful) throw new VaultError('internal_error', {}, 'The patched document does not read back as intended; nothing was written.');
  return parsed.document;
};

/** Whether `after` is `before` with the changes merged into it. */
const holdsChanges = (after: FrontmatterMap, before: FrontmatterMap, changes: FrontmatterMap): boolean => {
  const keys = Object.keys(after);
  for (const key of keys) {
    const expected = changes[key] === undefined ? before[key] : changes[key];
    if (expected === undefined || !sameValue(after[key] as Value, expected)) return false;
  }
  let count = Object.keys(before).length;
  for (const key of Object.keys(changes)) if (before[key] === undefined) count++;
  return keys.length === count;
};

const isExpectedBody = (body: string, before: Document, mode: 'replace' | 'append', patch: string | null): boolean => {
  if (patch === null) return body === before.body;
  return mode === 'replace' ? body === patch : body.startsWith(before.body) && body.endsWith(patch);
};
