import type { IntentJournal } from '#adapter-contracts';
import type { Committer } from './committer.ts';
import { createEventLog } from './event-log.ts';
import { createFsEventStore } from './fs-event-store.ts';
import type { StoreParts, StoreSettings } from './fs-store.ts';
import { createFsVfs } from './fs-vfs.ts';
import { processLock } from './log-lock.ts';
import type { Report } from './store-notice.ts';

/**
 * A store that leaves the vault exactly as it is: the event index lives in memory, torn tails stay, nothing is recovered, and every write throws an
 * error that says `reason`. The idempotency cache counts as empty, because the log answers; leases count as unreadable.
 */
export const openReadOnlyStore = ({ platform, layout, segmentBytes }: StoreSettings, report: Report, reason: string): StoreParts => {
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
    leases: { acquire: refuse, verify: refuse, current: refuse, find: refuse, renew: refuse, release: refuse, list: refuse },
    close: async () => log.close(),
  };
};
