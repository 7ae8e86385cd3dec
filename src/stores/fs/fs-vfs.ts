import type { FileSystem, IntentJournal, Vfs } from '#adapter-contracts';
import { findTwin } from './case-twins.ts';
import type { Committer } from './committer.ts';
import type { EventLog } from './event-log.ts';
import { stampOf } from './file-stamp.ts';
import { listFiles } from './list-files.ts';
import { readDocument } from './stored-document.ts';

interface VfsOptions {
  readonly fs: FileSystem;
  readonly root: string;
  readonly log: EventLog;
  readonly committer: Committer;
  readonly journal: IntentJournal;
}

/** The vault's documents on disk as `Vfs`. */
export const createFsVfs = ({ fs, root, log, committer, journal }: VfsOptions): Vfs => ({
  read: async path => readDocument(fs, root, path),
  async writeAtomic(path, bytes, expected) {
    const stored = await committer.change(path, bytes, expected);
    if (stored === null) throw new Error(`'${path}' was written and is gone`);
    return stored;
  },
  async remove(path, expected) {
    await committer.change(path, null, expected);
  },
  stamp: path => stampOf(fs, root, path),
  list: (prefix = '') => listFiles(fs, root, prefix),
  findTwin: path => findTwin(fs, root, log, path),
  intentJournal: () => journal,
});
