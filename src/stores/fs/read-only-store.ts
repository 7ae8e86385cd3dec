import type { IntentJournal } from '#adapter-contracts';
import type { Committer } from './committer.ts';
import { createEventLog } from './event-log.ts';
import { createFsEventStore } from './fs-event-store.ts';
import { createFsLeaseStore } from './fs-lease-store.ts';
import type { FsPlatform } from './fs-platform.ts';
import type { StoreParts, StoreSettings } from './fs-store.ts';
import { createFsVfs } from './fs-vfs.ts';
import { processLock } from './log-lock.ts';
import type { SharedRows } from './shared-rows.ts';
import type { SharedRowsHandle } from './shared-rows-handle.ts';
import type { Report } from './store-notice.ts';
import type { VaultLayout } from './vault-layout.ts';

/**
 * A store that leaves the vault exactly as it is: the event index lives in memory, torn tails stay, nothing is recovered, and every write throws an
 * error that says `reason`. The idempotency cache counts as empty, because the log answers; leases are read as they stand.
 */
export const openReadOnlyStore = ({ platform, layout, segmentBytes, clock }: StoreSettings, report: Report, reason: string): StoreParts => {
  const { fs } = platform;
  const refuse = (): Promise<never> => Promise.reject(new Error(`The vault cannot be written: ${reason}.`));
  const log = createEventLog({ platform, layout, lock: processLock(), segmentBytes, writable: false, report });
  const committer: Committer = {
    run: refuse,
    settle: refuse,
    change: refuse,
    append: refuse,
    resume: () => undefined,
    close: async () => undefined,
  };
  // Nothing is committed here, so nothing needs to be recovered first.
  const journal: IntentJournal = { run: refuse, settle: refuse, recover: async () => [] };
  return {
    vfs: createFsVfs({ fs, root: layout.root, log, committer, journal }),
    events: createFsEventStore(log, committer),
    idempotency: { get: async () => null, put: refuse },
    leases: { ...createFsLeaseStore(copiedRows(platform, layout), clock), acquire: refuse, renew: refuse, release: refuse },
    activity: () => ({ batchSizes: new Map(), unindexedEvents: 0 }),
    close: async () => log.close(),
  };
};

/** The leases as they are at each call; nothing is kept open, and nothing is changed. */
const copiedRows = (platform: FsPlatform, layout: VaultLayout): SharedRowsHandle => ({
  async use(work) {
    if (platform.copyRows === undefined) throw new Error('Leases cannot be read without the right to write.');
    const rows = platform.copyRows(layout.coordination, 'leases') ?? noRows;
    try {
      return work(rows);
    } finally {
      rows.close();
    }
  },
  close: () => undefined,
});

const noRows: SharedRows = {
  transact: work => work(),
  get: () => null,
  findByTag: () => null,
  list: () => [],
  put: () => undefined,
  delete: () => undefined,
  expire: () => undefined,
  isCurrent: () => true,
  close: () => undefined,
};
