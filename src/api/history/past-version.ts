import type { EventStore, StoredDocument, Vfs } from '#adapter-contracts';
import { decodeUtf8 } from '#document';
import { reasonOf } from '#errors';
import type { ContentStore, DocumentVersion } from '#projections';
import type { PastVersion } from './vault-history.ts';

/** What the reading half of the history works with. */
export interface HistorySource {
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly workspaceId: string;
  readonly contents: ContentStore;
}

/** The bytes with this hash: from what was kept, or from the document when it still holds them. */
export const findContent = async ({ contents, vfs }: HistorySource, hash: string, path?: string): Promise<Uint8Array | null> => {
  const kept = await contents.find(hash);
  if (kept !== null || path === undefined) return kept;
  const stored = await readIfAny(vfs, path);
  return stored?.hash === hash ? stored.bytes : null;
};

/** What is stored at a path, or null; a place that cannot be read holds no content of a past version either. */
const readIfAny = (vfs: Vfs, path: string): Promise<StoredDocument | null> => vfs.read(path).catch(() => null);

/** The text of a content, or why there is none. */
export const findText = async (
  source: HistorySource,
  hash: string,
  path: string,
): Promise<{ readonly text: string } | { readonly missing: string }> => {
  const bytes = await findContent(source, hash, path);
  if (bytes === null) return { missing: `the content ${hash} is not kept in the history` };
  try {
    return { text: decodeUtf8(bytes) };
  } catch (error) {
    return { missing: `the content ${hash} is no text: ${unended(error)}` };
  }
};

/** Where nothing stood. */
export const noDocument: PastVersion = { event_id: null, timestamp: null, hash: null, type: null, content: null };

/** What an event left. */
export const versionAfter = (source: HistorySource, { event, path, primitiveId, after }: DocumentVersion): Promise<PastVersion> =>
  pastVersion(source, path, { event_id: event.event_id, timestamp: event.timestamp, hash: after, type: primitiveId });

/** What an event found; which event had left that is another question. */
export const versionBefore = (source: HistorySource, { path, primitiveId, before }: DocumentVersion): Promise<PastVersion> =>
  pastVersion(source, path, { event_id: null, timestamp: null, hash: before, type: before === null ? null : primitiveId });

const pastVersion = async (source: HistorySource, path: string, known: Omit<PastVersion, 'content' | 'missing'>): Promise<PastVersion> => {
  if (known.hash === null) return { ...known, content: null };
  const found = await findText(source, known.hash, path);
  return 'text' in found ? { ...known, content: found.text } : { ...known, content: null, missing: found.missing };
};

/** The file as it is stored now. */
export const storedVersion = async ({ vfs }: HistorySource, path: string): Promise<PastVersion> => {
  const stored = await vfs.read(path);
  if (stored === null) return noDocument;
  const known = { event_id: null, timestamp: null, hash: stored.hash, type: null };
  try {
    return { ...known, content: decodeUtf8(stored.bytes) };
  } catch (error) {
    return { ...known, content: null, missing: `the stored bytes are no text: ${unended(error)}` };
  }
};

/** A reason that goes on in a sentence of ours. */
const unended = (error: unknown): string => reasonOf(error).replace(/\.$/, '');
