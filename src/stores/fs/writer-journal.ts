import { join } from 'node:path';
import type { FileSystem } from '#adapter-contracts';
import type { FsPlatform } from './fs-platform.ts';
import { type JournalFile, openJournalFile } from './journal-file.ts';
import { encodeRecord, type JournalEntry } from './journal-record.ts';
import { makeInternalDirectory, syncUpwards, type VaultLayout } from './vault-layout.ts';

const growth = 1 << 20;

/** The journal this store writes to, owned until `close`. */
export interface WriterJournal {
  readonly number: number;
  /** Records the intents of one batch, durably. The previous record must be settled. */
  record(entries: readonly JournalEntry[]): Promise<void>;
  /** Forgets the record; `durably` when the log does not settle every intent in it. */
  clear(durably: boolean): void;
  temporaryPath(): string;
  close(): void;
}

/** Takes over the lowest journal that is free and holds nothing unsettled, or starts a new one. */
export const openWriterJournal = (platform: FsPlatform, layout: VaultLayout): WriterJournal => {
  const { fs } = platform;
  makeInternalDirectory(fs, layout.root, layout.journals);
  makeInternalDirectory(fs, layout.root, layout.temporary);
  const file = ownFreeJournal(platform, layout);
  try {
    let size = grow(fs, layout, file, growth);
    sweepTemporaries(fs, layout, file.number);
    let temporaries = 0;
    return {
      number: file.number,
      async record(entries) {
        const bytes = encodeRecord(entries);
        if (bytes.length > size) size = grow(fs, layout, file, bytes.length);
        fs.write(file.fd, 0, bytes);
        // The intent must be durable before the document changes, or a power cut could leave a changed document that nothing explains (§6.3).
        await fs.fdatasync(file.fd);
      },
      clear: durably => file.clear(durably),
      temporaryPath() {
        temporaries += 1;
        return join(layout.temporary, `${file.number}-${temporaries}`);
      },
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
};

const ownFreeJournal = (platform: FsPlatform, layout: VaultLayout): JournalFile => {
  for (let number = 1; ; number += 1) {
    const file = openJournalFile(platform, layout, number);
    try {
      if (file.tryOwn()) {
        const content = file.content();
        // A torn record never began. One that is whole waits for recovery, and this writer takes another journal.
        if (content === 'torn') file.clear(true);
        if (typeof content === 'string') return file;
      }
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
};

/**
 * Fills the file with zeros up to `atLeast`, rounded up: overwriting a record then changes no metadata, which makes its sync twice as fast. The name
 * is made durable before the size, so a journal of full size is known to have a durable name.
 */
const grow = (fs: FileSystem, layout: VaultLayout, { fd }: JournalFile, atLeast: number): number => {
  const size = fs.size(fd);
  if (size >= atLeast) return size;
  syncUpwards(fs, layout.root, layout.journals);
  const wanted = Math.ceil(atLeast / growth) * growth;
  fs.write(fd, size, new Uint8Array(wanted - size));
  fs.fsyncSync(fd);
  return wanted;
};

/** Removes what a dead owner of this journal left half written. */
export const sweepTemporaries = (fs: FileSystem, layout: VaultLayout, number: number): void => {
  if (fs.stat(layout.temporary) === null) return;
  for (const { name } of fs.readDirectory(layout.temporary)) {
    if (name.startsWith(`${number}-`)) fs.unlink(join(layout.temporary, name));
  }
};
