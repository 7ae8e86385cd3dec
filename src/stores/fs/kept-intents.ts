import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { CommitIntent, FileSystem } from '#adapter-contracts';
import { removeDurably, writeDurably } from './durable-file.ts';
import { decodeEntry, encodeEntry, type JournalEntry } from './journal-record.ts';
import { type VaultLayout, vaultRelative } from './vault-layout.ts';

const keptName = /^kept-(\d{1,5})-[0-9a-f]{32}\.json$/;

/** An intent whose commit ended without a known outcome, in a file of its own: its journal goes on, the path's commit lock is free. */
interface KeptIntent {
  readonly name: string;
  readonly slot: number;
}

/** Intents kept after their batch, and intents set aside for a person. */
export interface KeptIntents {
  /** Those among the names of the journal directory. */
  among(names: readonly string[]): readonly KeptIntent[];
  keep(entry: JournalEntry): void;
  /** null when somebody settled it meanwhile. */
  read(kept: KeptIntent): JournalEntry | null;
  forget(kept: KeptIntent): void;
  /** Moves a conflicting intent to the quarantine; returns where, vault-relative. */
  setAside(intent: CommitIntent): string;
}

export const keptIntents = (fs: FileSystem, layout: VaultLayout, temporaryPath: () => string): KeptIntents => ({
  among: names => names.flatMap(name => (keptName.test(name) ? [{ name, slot: Number(keptName.exec(name)?.[1]) }] : [])),
  keep(entry) {
    const name = `kept-${entry.slot}-${digest(entry.intent.event_id).slice(0, 32)}.json`;
    writeDurably(fs, layout, join(layout.journals, name), temporaryPath(), Buffer.from(JSON.stringify(encodeEntry(entry)), 'utf8'));
  },
  read(kept) {
    const path = join(layout.journals, kept.name);
    return fs.stat(path) === null ? null : decodeEntry(JSON.parse(Buffer.from(fs.readFile(path)).toString('utf8')));
  },
  // Durably: a later commit on the path must not find the intent again after a power cut, and take itself for its leftover.
  forget: kept => removeDurably(fs, layout.journals, kept.name),
  setAside(intent) {
    const path = join(layout.quarantine, `${fileStem(intent.event_id)}.json`);
    const { intent: encoded } = encodeEntry({ intent, slot: 0, directories: [] });
    writeDurably(fs, layout, path, temporaryPath(), Buffer.from(`${JSON.stringify(encoded, null, 2)}\n`, 'utf8'));
    return vaultRelative(layout.root, path);
  },
});

const digest = (text: string): string => hash('sha256', text, 'hex');

/** Event ids are opaque; only plain ones become file names as they are. */
const fileStem = (eventId: string): string => (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(eventId) ? eventId : digest(eventId));
