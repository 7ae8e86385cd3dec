import { randomUUID } from 'node:crypto';
import type { CommitIntent, IntentJournal, Vfs } from '#adapter-contracts';
import { hashContent } from '#document';

export const journalOf = (vfs: Vfs): IntentJournal => {
  const journal = vfs.intentJournal?.();
  if (journal === undefined) throw new Error('the VFS under test offers no intent journal');
  return journal;
};

export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The intent of a commit that turns the text `prior` into `intended`; null = no document. */
export const intentFor = (path: string, prior: string | null, intended: string | null): CommitIntent => ({
  workspace_id: 'ws-acme',
  path,
  event_id: randomUUID(),
  prior: prior === null ? null : textBytes(prior),
  prior_hash: prior === null ? null : hashContent(prior),
  intended_hash: intended === null ? null : hashContent(intended),
});

export const readText = async (vfs: Vfs, path: string): Promise<string | null> => {
  const stored = await vfs.read(path);
  return stored === null ? null : new TextDecoder().decode(stored.bytes);
};

/** Makes the document say `text`, or be absent for null, whatever is there now. */
export const writeText = async (vfs: Vfs, path: string, text: string | null): Promise<void> => {
  const current = await vfs.read(path);
  if (text !== null) await vfs.writeAtomic(path, textBytes(text), current === null ? { ifAbsent: true } : { version: current.version });
  else if (current !== null) await vfs.remove(path, { version: current.version });
};
