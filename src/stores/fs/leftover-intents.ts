import type { FileSystem, RecoveryReport, ResolveIntent } from '#adapter-contracts';
import { closedStore } from './closed-store.ts';
import type { EventLog } from './event-log.ts';
import { type JournalFile, journalNumbers, openJournalFile } from './journal-file.ts';
import type { PathLocks } from './path-locks.ts';
import { type ResolveTools, resolveEntry } from './resolve-entry.ts';
import { isFileError } from './vault-layout.ts';
import { sweepTemporaries } from './writer-journal.ts';

/** Leftovers of one slot after an attempt to settle them. */
interface Settled {
  readonly reports: readonly RecoveryReport[];
  /** True: a record names the slot, its writer seems to live, and the log does not hold its event. Nothing may be committed on top; try again. */
  readonly busy: boolean;
}

/** Intents that others, or this store's own failures, left behind. */
export interface LeftoverIntents {
  /** Slots that unsettled intents name; one small read per journal. */
  slots(): ReadonlySet<number>;
  /** Resolves the leftovers of a slot whose lock the caller holds. */
  settle(slot: number, resolve: ResolveIntent): Promise<Settled>;
  /** Resolves everything whose writer is gone; reports the rest as `in_flight`. */
  recover(resolve: ResolveIntent): Promise<readonly RecoveryReport[]>;
  close(): void;
}

export interface LeftoverOptions extends ResolveTools {
  readonly pathLocks: PathLocks;
  readonly log: EventLog;
  readonly lockTimeoutMs: number;
  /** The number of the journal this store writes to, or null when it has none. */
  readonly ownJournal: () => number | null;
}

export const createLeftoverIntents = (options: LeftoverOptions): LeftoverIntents => {
  const { platform, layout, kept, log } = options;
  const { fs } = platform;
  const journals = new Map<number, JournalFile>();
  let closed = false;
  let looked: { readonly names: readonly string[]; readonly changed: bigint } | null = null;
  /** The names in the journal directory; read again only when it changed, or so lately that its time may not tell. */
  const look = (): readonly string[] => {
    if (closed) throw closedStore();
    const changed = fs.stat(layout.journals)?.mtimeNs ?? 0n;
    if (looked !== null && looked.changed === changed && !isRecent(changed)) return looked.names;
    const names = namesIn(fs, layout.journals);
    for (const number of journalNumbers(names)) {
      if (!journals.has(number)) journals.set(number, openJournalFile(platform, layout, number));
    }
    looked = { names, changed };
    return names;
  };

  /** Settles, in a record whose writer is gone, the entries that `locked` runs under their path's lock. */
  const settleRecord = async (journal: JournalFile, resolve: ResolveIntent, locked: Locked): Promise<readonly RecoveryReport[]> => {
    const content = journal.content();
    if (content === 'torn') journal.clear(true);
    if (typeof content === 'string') return [];
    const reports: RecoveryReport[] = [];
    let open = 0;
    for (const [at, entry] of content.entries.entries()) {
      if (content.header.done[at] === true) continue;
      const report = await locked(entry.slot, entry.intent.path, () => resolveEntry(options, entry, resolve, () => journal.markDone(at)));
      if (report === 'skipped') open += 1;
      else if (report === 'locked') {
        open += 1;
        reports.push(inFlight(entry.intent));
      } else reports.push(report);
    }
    if (open === 0) journal.clear(true);
    return reports;
  };

  const settleJournal = async (journal: JournalFile, slot: number, resolve: ResolveIntent): Promise<Settled> => {
    const header = journal.header();
    if (header === null || !header.slots.some((named, at) => named === slot && !header.done[at])) return { reports: [], busy: false };
    if (!journal.tryOwn()) return { reports: [], busy: !(await isSettledByLog(journal, slot)) };
    try {
      const reports = await settleRecord(journal, resolve, async (named, _path, work) => (named === slot ? work() : 'skipped'));
      return { reports, busy: false };
    } finally {
      journal.disown();
    }
  };
  /** A dying process gives its path locks back before its journal; what the log holds is committed all the same. */
  const isSettledByLog = async (journal: JournalFile, slot: number): Promise<boolean> => {
    const content = journal.content();
    if (typeof content === 'string') return true;
    for (const [at, { slot: named, intent }] of content.entries.entries()) {
      if (named === slot && content.header.done[at] !== true && (await log.findById(intent.event_id)) === null) return false;
    }
    return true;
  };

  const underPathLock: Locked = async (slot, path, work) => {
    try {
      await options.pathLocks.lock(path, options.lockTimeoutMs);
    } catch {
      return 'locked';
    }
    try {
      return await work();
    } finally {
      options.pathLocks.unlock(slot);
    }
  };
  const recoverJournal = async (journal: JournalFile, resolve: ResolveIntent): Promise<readonly RecoveryReport[]> => {
    if (journal.header() === null) return [];
    if (!journal.tryOwn()) {
      const content = journal.content();
      if (typeof content === 'string') return [];
      return content.entries.filter((_, at) => content.header.done[at] !== true).map(({ intent }) => inFlight(intent));
    }
    try {
      const reports = await settleRecord(journal, resolve, underPathLock);
      sweepTemporaries(fs, layout, journal.number);
      return reports;
    } finally {
      journal.disown();
    }
  };

  return {
    slots() {
      const found = new Set(kept.among(look()).map(({ slot }) => slot));
      for (const journal of journals.values()) {
        // Between its batches nothing of this store's own stands open there.
        if (journal.number === options.ownJournal()) continue;
        const header = journal.header();
        for (const [at, slot] of header?.slots.entries() ?? []) if (header?.done[at] !== true) found.add(slot);
      }
      return found;
    },
    async settle(slot, resolve) {
      const reports: RecoveryReport[] = [];
      const mine = kept.among(look()).filter(intent => intent.slot === slot);
      for (const journal of journals.values()) {
        const settled = await settleJournal(journal, slot, resolve);
        reports.push(...settled.reports);
        if (settled.busy) return { reports, busy: true };
      }
      for (const intent of mine) {
        const entry = kept.read(intent);
        if (entry !== null) reports.push(await resolveEntry(options, entry, resolve, () => kept.forget(intent)));
      }
      return { reports, busy: false };
    },
    async recover(resolve) {
      const reports: RecoveryReport[] = [];
      const left = kept.among(look());
      for (const journal of [...journals.values()]) reports.push(...(await recoverJournal(journal, resolve)));
      for (const intent of left) {
        const entry = kept.read(intent);
        if (entry === null) continue;
        const report = await underPathLock(entry.slot, entry.intent.path, async () =>
          kept.read(intent) === null ? 'skipped' : resolveEntry(options, entry, resolve, () => kept.forget(intent)),
        );
        if (report === 'locked') reports.push(inFlight(entry.intent));
        else if (report !== 'skipped') reports.push(report);
      }
      return reports;
    },
    close() {
      closed = true;
      for (const journal of journals.values()) journal.close();
      journals.clear();
    },
  };
};

// Coarser than any file system's clock; a directory time in the future is never trusted.
const recentNs = 2_000_000_000n;

const isRecent = (changed: bigint): boolean => BigInt(Date.now()) * 1_000_000n - changed < recentNs;

/** Names in a directory that may not exist yet; asking first would cost every batch a call. */
const namesIn = (fs: FileSystem, directory: string): readonly string[] => {
  try {
    return fs.readDirectory(directory).map(entry => entry.name);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return [];
    throw error;
  }
};

/** Runs `work` under the lock of a slot; `skipped` = not this time, `locked` = a live writer has it. */
type Locked = (
  slot: number,
  path: string,
  work: () => Promise<RecoveryReport | 'skipped'>,
) => Promise<RecoveryReport | 'skipped' | 'locked'>;

const inFlight = ({ workspace_id, path, event_id }: Pick<RecoveryReport, 'workspace_id' | 'path' | 'event_id'>): RecoveryReport => ({
  workspace_id,
  path,
  event_id,
  outcome: 'in_flight',
});
