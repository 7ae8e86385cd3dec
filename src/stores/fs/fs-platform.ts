import type { FileLocks, FileSystem } from '#adapter-contracts';
import type { EventIndex } from './event-index.ts';
import { linuxPin, type Pin } from './linux-pin.ts';
import { nativeLocks } from './native-locks.ts';
import { nodeFileSystem } from './node-file-system.ts';
import type { SharedRows } from './shared-rows.ts';
import { createSqliteEventIndex, findSqliteEventIndex } from './sqlite-event-index.ts';
import { copySqliteSharedRows, findSqliteSharedRows, openSqliteSharedRows } from './sqlite-shared-rows.ts';
import { watchDirectory } from './watch-directory.ts';
import { mayWriteIn } from './write-access.ts';

/** Everything outside the process that the disk store touches; replaced as a whole by simulators of failing disks. */
export interface FsPlatform {
  readonly fs: FileSystem;
  readonly locks: FileLocks;
  /** The event index in `directory` that this machine made and can read, or null; needs no lock, one that is being made counts as absent. */
  findIndex(directory: string): EventIndex | null;
  /** Makes an empty event index, in `directory` or in memory for null; the caller holds the log lock. Any older one is set aside. */
  createIndex(directory: string | null): EventIndex;
  /** The rows named `name` in `directory`, or null when there are none that can be read; needs no lock. */
  findRows(directory: string, name: string): SharedRows | null;
  /** Opens or makes those rows, `fresh` sets existing ones aside; the caller holds the open lock. Throws `SharedRowsDamagedError`. */
  openRows(directory: string, name: string, options: { readonly fresh: boolean }): SharedRows;
  /** Those rows as they are now, for a store that may not change a file; null when there are none. Absent: they cannot be read so. */
  copyRows?(directory: string, name: string): SharedRows | null;
  /** Calls `changed` when something in the directory may have changed, as far as the system tells; gives how to stop, or null. Absent: it tells nothing. */
  watch?(directory: string, changed: () => void): (() => void) | null;
  /** Whether this user may write in a directory, or make it. Absent: yes. */
  readonly mayWrite?: (directory: string) => boolean;
  /** For the vault at `root`; null or absent where the system has no such paths. */
  readonly pin?: (root: string) => Pin | null;
}

/** Real files, operating-system locks and SQLite. */
export const nodePlatform: FsPlatform = {
  fs: nodeFileSystem,
  locks: nativeLocks,
  findIndex: findSqliteEventIndex,
  createIndex: createSqliteEventIndex,
  findRows: findSqliteSharedRows,
  openRows: openSqliteSharedRows,
  copyRows: copySqliteSharedRows,
  watch: watchDirectory,
  mayWrite: mayWriteIn,
  pin: linuxPin,
};
