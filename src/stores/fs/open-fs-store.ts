import { resolve } from 'node:path';
import { systemClock } from '#adapter-contracts';
import { findTwin } from './case-twins.ts';
import { closedStore } from './closed-store.ts';
import { createCommitter } from './committer.ts';
import { createDocumentWriter } from './document-writer.ts';
import { createEventLog } from './event-log.ts';
import { createFsEventStore } from './fs-event-store.ts';
import { createFsIdempotencyStore } from './fs-idempotency-store.ts';
import { createFsIntentJournal } from './fs-intent-journal.ts';
import { createFsLeaseStore } from './fs-lease-store.ts';
import { nodePlatform } from './fs-platform.ts';
import type { FsStore, FsStoreOptions, StoreParts, StoreSettings } from './fs-store.ts';
import { createFsVfs } from './fs-vfs.ts';
import { keptIntents } from './kept-intents.ts';
import { createLeftoverIntents } from './leftover-intents.ts';
import { lockSelfTest } from './lock-self-test.ts';
import { openLogLocks } from './log-lock.ts';
import { openPathLocks } from './path-locks.ts';
import { openReadOnlyStore } from './read-only-store.ts';
import { sharedRowsHandle } from './shared-rows-handle.ts';
import type { Report, StoreNotice } from './store-notice.ts';
import { makeInternalDirectory, vaultLayout } from './vault-layout.ts';
import { missingAccess, remedyFor } from './write-access.ts';
import { openWriterJournal, type WriterJournal } from './writer-journal.ts';

// SQLite takes paths of up to 512 bytes; the longest name of ours below the vault, with its suffix, has 95.
const longestRoot = 400;

/**
 * Opens the store of a vault directory. Where file locks do not work, or the user may not write, the vault opens for reading only: a notice says so, and writing throws.
 *
 * @example const store = await openFsStore({ root: '/home/ada/vault', workspaceId: 'ws-ada' });
 */
export const openFsStore = async (options: FsStoreOptions): Promise<FsStore> => {
  const { platform = nodePlatform, clock = systemClock } = options;
  const settings = {
    platform,
    clock,
    workspaceId: options.workspaceId,
    layout: vaultLayout(resolve(options.root)),
    lockTimeoutMs: options.lockTimeoutMs ?? 30_000,
    segmentBytes: options.segmentBytes ?? 32 << 20,
  };
  const kind = platform.fs.stat(settings.layout.root)?.kind;
  // The directory itself may be reached through a link; what is inside may not.
  if (kind !== 'directory' && kind !== 'symlink')
    throw new Error(`'${settings.layout.root}' is not a directory; a vault must exist before it is opened.`);
  const length = Buffer.byteLength(settings.layout.root);
  if (length > longestRoot)
    throw new Error(
      `The path of the vault is ${length} bytes long; beyond ${longestRoot} the databases in it cannot be opened. Move it to a shorter path.`,
    );
  const notices = new Map<string, StoreNotice>();
  const report: Report = notice => void notices.set(`${notice.kind}\0${notice.message}`, notice);
  const reason = options.readOnly === true ? 'it was opened for reading only' : whyReadOnly(settings);
  if (reason !== null && options.readOnly !== true) {
    report({ kind: 'read_only', message: `The vault is open for reading only: ${reason}. ${remedyFor(reason)}` });
  }
  const store = reason === null ? openWritableStore(settings, report) : openReadOnlyStore(settings, report, reason);
  let closing: Promise<void> | null = null;
  return {
    ...store,
    workspaceId: settings.workspaceId,
    writable: reason === null,
    notices: () => [...notices.values()],
    close() {
      // Once: the numbers of closed descriptors belong to whoever opened a file since.
      closing ??= store.close();
      return closing;
    },
  };
};

const whyReadOnly = ({ platform, layout }: StoreSettings): string | null =>
  (platform.mayWrite === undefined ? null : missingAccess(platform.mayWrite, layout)) ?? lockSelfTest(platform, layout);

const openLocks = ({ platform, layout, lockTimeoutMs }: StoreSettings) => {
  const locks = openLogLocks(platform, layout, lockTimeoutMs);
  try {
    return { locks, pathLocks: openPathLocks(platform, layout) };
  } catch (error) {
    locks.log.close();
    throw error;
  }
};

const openWritableStore = (settings: StoreSettings, report: Report): StoreParts => {
  const { platform, clock, layout, lockTimeoutMs, segmentBytes } = settings;
  const { fs } = platform;
  const { root } = layout;
  const { locks, pathLocks } = openLocks(settings);
  let writer: WriterJournal | null = null;
  let closed = false;
  const journal = (): WriterJournal => {
    if (closed) throw closedStore();
    writer ??= openWriterJournal(platform, layout);
    return writer;
  };
  const temporaryPath = (): string => journal().temporaryPath();
  const log = createEventLog({ platform, layout, lock: locks.log, segmentBytes, writable: true, report });
  const findTwinOf = (path: string): Promise<string | null> => findTwin(fs, root, log, path);
  const documents = createDocumentWriter({ fs, root, temporaryPath, findTwin: findTwinOf, pin: platform.pin?.(root) ?? null });
  const kept = keptIntents(fs, layout, temporaryPath);
  const ownJournal = (): number | null => writer?.number ?? null;
  const leftovers = createLeftoverIntents({ platform, layout, pathLocks, documents, kept, log, lockTimeoutMs, report, ownJournal });
  const batchSizes = new Map<number, number>();
  const onBatch = (size: number): void => void batchSizes.set(size, (batchSizes.get(size) ?? 0) + 1);
  const committer = createCommitter({ fs, root, pathLocks, journal, kept, leftovers, documents, log, lockTimeoutMs, onBatch });
  const rows = (name: string, onReplaced?: (error: Error) => void) =>
    sharedRowsHandle({
      find: () => platform.findRows(layout.coordination, name),
      lock: locks.opening,
      open(how) {
        makeInternalDirectory(fs, root, layout.coordination);
        return platform.openRows(layout.coordination, name, how);
      },
      ...(onReplaced === undefined ? {} : { onReplaced }),
    });
  const leaseRows = rows('leases');
  const cacheRows = rows('idempotency', error =>
    report({ kind: 'cache_reset', message: `The idempotency cache was damaged and starts anew: ${error.message}.` }),
  );
  const idempotency = createFsIdempotencyStore(cacheRows, clock);
  return {
    vfs: createFsVfs({ fs, root, log, committer, journal: createFsIntentJournal(committer, leftovers) }),
    events: createFsEventStore(log, committer),
    idempotency,
    leases: createFsLeaseStore(leaseRows, clock),
    activity: () => ({ batchSizes, unindexedEvents: log.unindexed() }),
    async close() {
      await committer.close();
      await idempotency.close();
      await documents.close();
      closed = true;
      for (const part of [leaseRows, cacheRows, leftovers, log, pathLocks, locks.log]) part.close();
      writer?.close();
      writer = null;
    },
  };
};
