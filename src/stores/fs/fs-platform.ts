import type { FileLocks, FileSystem } from '#adapter-contracts';
import type { EventIndex } from './event-index.ts';
import { nativeLocks } from './native-locks.ts';
import { nodeFileSystem } from './node-file-system.ts';
import type { SharedRows } from './shared-rows.ts';
import { openSqliteEventIndex } from './sqlite-event-index.ts';
import { openSqliteSharedRows } from './sqlite-shared-rows.ts';

/** Everything outside the process that the disk store touches; replaced as a whole by simulators of failing disks. */
export interface FsPlatform {
  readonly fs: FileSystem;
  readonly locks: FileLocks;
  /**
   * Opens the event index that lives in `directory`, or one in memory for null. `fresh` sets any existing one aside and starts an empty one.
   * Called under the log lock. An index that this machine did not make, or cannot read, is never used.
   */
  openIndex(directory: string | null, options: { readonly fresh: boolean }): EventIndex;
  /** Opens the rows named `name` in `directory`; `fresh` as above. Called under the open lock. */
  openRows(directory: string, name: string, options: { readonly fresh: boolean }): SharedRows;
}

/** Real files, operating-system locks and SQLite. */
export const nodePlatform: FsPlatform = {
  fs: nodeFileSystem,
  locks: nativeLocks,
  openIndex: openSqliteEventIndex,
  openRows: openSqliteSharedRows,
};
