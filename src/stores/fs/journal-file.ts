import { join } from 'node:path';
import type { FsPlatform } from './fs-platform.ts';
import {
  clearedHeader,
  decodeBody,
  decodeHeader,
  flagOffset,
  headerBytes,
  type JournalEntry,
  type RecordHeader,
} from './journal-record.ts';
import { lockFile } from './lock-file.ts';
import type { VaultLayout } from './vault-layout.ts';

// Far behind any record: some systems refuse to read bytes that another process has locked.
const ownerByte = 2 ** 40;

/** What a journal holds: nothing, a record torn before it was durable, or a record. */
type JournalContent = 'empty' | 'torn' | { readonly header: RecordHeader; readonly entries: readonly JournalEntry[] };

/** One writer's journal, open. Its owner holds the lock for as long as it lives (§6.3: free = dead). */
export interface JournalFile {
  readonly number: number;
  readonly fd: number;
  tryOwn(): boolean;
  disown(): void;
  /** One small read. */
  header(): RecordHeader | null;
  content(): JournalContent;
  /** Durably notes that recovery settled one entry; the record stays for the others. */
  markDone(at: number): void;
  /** Removes the record. Without `durably` a power cut may bring it back. */
  clear(durably: boolean): void;
  close(): void;
}

const journalName = /^([1-9]\d*)\.journal$/;

/** Numbers of the journals there are, ascending. */
export const journalNumbers = (names: readonly string[]): readonly number[] =>
  names
    .map(name => Number(journalName.exec(name)?.[1] ?? 0))
    .filter(number => number > 0)
    .sort((a, b) => a - b);

export const openJournalFile = (platform: FsPlatform, layout: VaultLayout, number: number): JournalFile => {
  const { fs } = platform;
  const fd = fs.open(join(layout.journals, `${number}.journal`), 'read-write-create');
  const lock = lockFile(platform, fd);
  const header = (): RecordHeader | null => decodeHeader(fs.read(fd, 0, headerBytes));
  return {
    number,
    fd,
    tryOwn: () => lock.tryLock(ownerByte),
    disown: () => lock.unlock(ownerByte),
    header,
    content() {
      const found = header();
      if (found === null) return 'empty';
      const entries = decodeBody(found, fs.read(fd, headerBytes, Math.min(found.bodyLength, fs.size(fd))));
      return entries === null ? 'torn' : { header: found, entries };
    },
    markDone(at) {
      fs.write(fd, flagOffset(at), Uint8Array.of(1));
      fs.fdatasyncSync(fd);
    },
    clear(durably) {
      fs.write(fd, 0, clearedHeader);
      if (durably) fs.fdatasyncSync(fd);
    },
    close: () => lock.close(),
  };
};
