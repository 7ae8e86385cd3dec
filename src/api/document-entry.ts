import type { StoredDocument } from '#adapter-contracts';
import { decodeUtf8, isIndexPath, type ParsedFile, parseDocument } from '#document';
import type { ScannedFile } from '#projections';
import type { Registry } from '#registry';
import type { DocumentEntry, VaultDocument } from './vault.ts';

/** Reads stored bytes as a vault document. Throws `VaultError('internal_error')` when they are not UTF-8. */
export const toVaultDocument = (path: string, stored: StoredDocument, registry: Registry): VaultDocument => {
  const text = decodeUtf8(stored.bytes);
  const parsed = parseDocument(text);
  return { path, hash: stored.hash, bytes: stored.bytes, text, kind: parsed.kind, type: typeOf(path, parsed, registry) };
};

/** The qualified type that decides who may read a file, `ssss:index` for pages of links; null when it declares none that is known. */
export const typeOf = (path: string, parsed: ParsedFile, registry: Registry): string | null => {
  if (isIndexPath(path)) return 'ssss:index';
  const type = parsed.kind === 'document' ? parsed.document.data.type : null;
  return typeof type === 'string' ? (registry.resolve(type)?.qualified ?? null) : null;
};

/** A scanned file as a row of a listing; null for files that are no Markdown at all. */
export const toDocumentEntry = (scanned: ScannedFile, registry: Registry): DocumentEntry | null => {
  if (scanned.kind === 'reported') {
    const { path, kind, reason } = scanned.report;
    return kind === 'temporary' || kind === 'not_markdown' ? null : { path, kind, type: null, title: null, hash: null, reason };
  }
  const { path, hash, parsed } = scanned;
  const title = parsed.kind === 'document' && typeof parsed.document.data.title === 'string' ? parsed.document.data.title : null;
  const entry = { path, kind: parsed.kind, type: typeOf(path, parsed, registry), title, hash };
  return parsed.kind === 'invalid' ? { ...entry, reason: parsed.issues[0]?.issue ?? 'the frontmatter is refused' } : entry;
};
