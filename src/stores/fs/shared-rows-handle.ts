import { closedStore } from './closed-store.ts';
import type { LogLock } from './log-lock.ts';
import { type SharedRows, SharedRowsDamagedError } from './shared-rows.ts';

/** Shared rows that are opened when first used, and again when somebody removed their file. */
export interface SharedRowsHandle {
  use<T>(work: (rows: SharedRows) => T): Promise<T>;
  close(): void;
}

interface HandleOptions {
  /** Rows that are there and sound, or null; without the lock. */
  readonly find: () => SharedRows | null;
  /** Making them, and saying that they are damaged, goes under this lock. */
  readonly lock: LogLock;
  readonly open: (options: { readonly fresh: boolean }) => SharedRows;
  /** Present for rows that are only a cache: called when a damaged one is replaced by an empty one. Absent: damage is an error. */
  readonly onReplaced?: (error: SharedRowsDamagedError) => void;
}

export const sharedRowsHandle = ({ find, lock, open, onReplaced }: HandleOptions): SharedRowsHandle => {
  let rows: SharedRows | null = null;
  let closed = false;
  let opening: Promise<SharedRows> | null = null;
  const letGo = (): void => {
    const old = rows;
    rows = null;
    old?.close();
  };
  const reopen = (fresh: boolean): Promise<SharedRows> => {
    opening ??= lock
      .hold(async () => {
        letGo();
        if (closed) throw closedStore();
        rows = open({ fresh });
        return rows;
      })
      .finally(() => {
        opening = null;
      });
    return opening;
  };
  const current = async (): Promise<SharedRows> => {
    if (closed) throw closedStore();
    if (opening !== null) return opening;
    if (rows?.isCurrent() === true) return rows;
    letGo();
    rows = find();
    return rows ?? reopen(false);
  };
  return {
    async use(work) {
      try {
        return work(await current());
      } catch (error) {
        if (!(error instanceof SharedRowsDamagedError) || onReplaced === undefined) throw error;
        onReplaced(error);
        return work(await reopen(true));
      }
    },
    close() {
      closed = true;
      letGo();
    },
  };
};
