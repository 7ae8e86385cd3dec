import { VaultError } from '#errors';
import { characters } from './characters.ts';
import type { Document, EntrySpan } from './document.ts';
import { checkKey, toExpressible } from './expressible-value.ts';
import { bodyKey, maximumFrontmatterBytes } from './frontmatter-limits.ts';
import { entryLines } from './frontmatter-writer.ts';
import { parseDocument } from './parse-document.ts';
import { sameValue } from './same-value.ts';
import { isWellFormed } from './utf8.ts';
import { emptyMap, type FrontmatterMap, hasKey, type Value } from './value.ts';

const { lineFeed } = characters;

/**
 * Merges patches into a document (§6.2): only the entries whose value changes are rewritten, new keys go just before the closing fence,
 * every other byte stays (readings: writing frontmatter). `__body__` replaces the body or is appended to it (readings: appending). Keys
 * and values that frontmatter cannot hold are `invalid_request`; a result that would not read back as intended is `internal_error`.
 *
 * @example patchDocument(document, { status: 'done' }, 'replace').text
 */
export const patchDocument = (document: Document, patches: Readonly<Record<string, unknown>>, body: 'replace' | 'append'): Document => {
  const changes = toChanges(patches);
  const pieces = patchFrontmatter(document, changes);
  checkSize(pieces, document);
  const bodyPatch = readBodyPatch(patches);
  const newBody = bodyPatch === null ? document.body : patchBody(document, bodyPatch, body);
  if (newBody !== '') pieces.push(missingLineEnd(document), newBody);
  // Joined in one go: a text built by appending is slower to read back.
  const text = pieces.join('');
  return text === document.text ? document : readBack(text, document, changes, newBody);
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

/** The pieces of everything before the body: changed entries rewritten, new ones added, the closing fence last. */
const patchFrontmatter = ({ text, data, layout, lineEnding }: Document, changes: FrontmatterMap): string[] => {
  const pieces: string[] = [];
  let from = 0;
  for (const entry of layout.entries) {
    const value = changes[entry.key];
    if (value === undefined || sameValue(entry.value, value)) continue;
    pieces.push(text.slice(from, entry.start), rewriteEntry(text, entry, entryLines(entry.key, value, layout.indent)));
    from = entry.end;
  }
  pieces.push(text.slice(from, layout.fenceStart));
  for (const key of Object.keys(changes)) {
    if (data[key] !== undefined) continue;
    for (const line of entryLines(key, changes[key] as Value, layout.indent)) pieces.push(line, lineEnding);
  }
  pieces.push(text.slice(layout.fenceStart, layout.bodyStart));
  return pieces;
};

const checkSize = (head: readonly string[], { text }: Document): void => {
  let length = 0;
  for (const piece of head) length += piece.length;
  if (length * 3 <= maximumFrontmatterBytes) return;
  const bytes = Buffer.byteLength(
    head
      .slice(0, -1)
      .join('')
      .slice(text.indexOf('\n') + 1),
  );
  if (bytes <= maximumFrontmatterBytes) return;
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

const patchBody = ({ body, lineEnding }: Document, patch: string, mode: 'replace' | 'append'): string => {
  if (mode === 'replace') return patch;
  if (patch === '' || body === '' || body.charCodeAt(body.length - 1) === lineFeed) return body + patch;
  return body + lineEnding + patch;
};

/** The line end that the closing fence lacks; it gets one as soon as a body follows. */
const missingLineEnd = ({ text, layout, lineEnding }: Document): string =>
  text.charCodeAt(layout.bodyStart - 1) === lineFeed ? '' : lineEnding;

/** Reads the patched text back and holds it against what was asked for, before anyone may store it. */
const readBack = (text: string, before: Document, changes: FrontmatterMap, body: string): Document => {
  const parsed = parseDocument(text);
  if (parsed.kind === 'document' && parsed.document.body === body && holdsChanges(parsed.document, before, changes)) return parsed.document;
  throw new VaultError('internal_error', {}, 'The patched document does not read back as intended; nothing was written.');
};

/** Whether `after` holds the entries of `before` in their order with the changes merged into them, then the new ones. */
const holdsChanges = (after: Document, before: Document, changes: FrontmatterMap): boolean => {
  const { entries } = after.layout;
  let index = 0;
  for (const { key, value } of before.layout.entries) {
    const entry = entries[index++];
    const change = changes[key];
    if (entry?.key !== key || !sameValue(entry.value, change === undefined ? value : change)) return false;
  }
  for (const key of Object.keys(changes)) {
    if (before.data[key] !== undefined) continue;
    const entry = entries[index++];
    if (entry?.key !== key || !sameValue(entry.value, changes[key] as Value)) return false;
  }
  return index === entries.length;
};
