import { setImmediate as turn } from 'node:timers/promises';
import type {
  CanonicalEvent,
  CommitIntent,
  CommitScope,
  Expected,
  FileSystem,
  RecoveryReport,
  ResolveIntent,
  StoredDocument,
} from '#adapter-contracts';
import { hashContent } from '#document';
import { VaultError } from '#errors';
import { createAppendQueue } from './append-queue.ts';
import { monotonicNow } from './backoff.ts';
import { type Batch, createBatch } from './batch.ts';
import { closedStore } from './closed-store.ts';
import { type CommitEntry, commitEntry } from './commit-entry.ts';
import { createCommitQueue } from './commit-queue.ts';
import type { DocumentWriter } from './document-writer.ts';
import type { EventLog } from './event-log.ts';
import type { JournalEntry } from './journal-record.ts';
import type { KeptIntents } from './kept-intents.ts';
import type { LeftoverIntents } from './leftover-intents.ts';
import { type PathLocks, pathSlot } from './path-locks.ts';
import { inspectPath } from './safe-path.ts';
import { createSingleCommits } from './single-commits.ts';
import { readInspected } from './stored-document.ts';
import type { WriterJournal } from './writer-journal.ts';

/** Where everything that writes meets: one queue, one batch in flight (§6.3). */
export interface Committer {
  run<T>(path: string, intent: CommitIntent, commit: (scope: CommitScope) => Promise<T>, resolve: ResolveIntent): Promise<T>;
  settle(path: string, resolve: ResolveIntent): Promise<readonly RecoveryReport[]>;
  /** Joins the running commit on the same path; a commit of its own otherwise. */
  change(path: string, bytes: Uint8Array | null, expected: Expected): Promise<StoredDocument | null>;
  /** Joins the running commit that announced the event; gathered with others of the same turn otherwise. */
  append(event: CanonicalEvent): Promise<void>;
  /** Tries to go on after a disk that could not take the journal; throws while it still cannot. */
  resume(): void;
  /** Finishes what is queued and refuses the rest. */
  close(): Promise<void>;
}

export interface CommitterOptions {
  readonly fs: FileSystem;
  readonly root: string;
  readonly pathLocks: PathLocks;
  readonly journal: () => WriterJournal;
  readonly kept: KeptIntents;
  readonly leftovers: LeftoverIntents;
  readonly documents: DocumentWriter;
  readonly log: EventLog;
  readonly lockTimeoutMs: number;
  /** Told how many commits meet at the barriers, each time some do. */
  readonly onBatch: (size: number) => void;
}

export const createCommitter = (options: CommitterOptions): Committer => {
  const { pathLocks, leftovers, documents, log, lockTimeoutMs } = options;
  const queue = createCommitQueue(pathLocks, lockTimeoutMs);
  const single = createSingleCommits(options);
  const appendAlone = createAppendQueue(log);
  let pumping: Promise<void> | null = null;
  let nudge: (() => void) | null = null;
  let batch: Batch | null = null;
  let refusal: Error | null = null;
  let stopped: { readonly entries: readonly CommitEntry[]; readonly closeRecord: () => void } | null = null;

  /** What runs beside the batches; closing waits for it, because it uses descriptors. */
  const alone = new Set<Promise<unknown>>();
  const byItself = async <T>(work: Promise<T>): Promise<T> => {
    alone.add(work);
    try {
      return await work;
    } finally {
      alone.delete(work);
    }
  };

  /** Between two tries of busy locks; ends early when something new arrives. */
  const rest = (milliseconds: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      nudge = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const pump = async (): Promise<void> => {
    while (queue.length > 0) {
      // Everyone whom the last batch answered gets to ask again before the next batch closes.
      await turn();
      const entries = queue.take();
      if (entries.length > 0) await commitTogether(entries);
      else if (queue.length > 0) await rest(queue.pause());
      nudge = null;
    }
  };
  const wake = (): void => {
    nudge?.();
    pumping ??= pump().finally(() => {
      pumping = null;
      if (queue.length > 0) wake();
    });
  };

  const commitTogether = async (taken: readonly CommitEntry[]): Promise<void> => {
    const entries = await withoutLeftovers(taken);
    if (entries.length === 0) return;
    const recorded = new Map<CommitEntry, JournalEntry>();
    try {
      const journal = options.journal();
      for (const entry of entries) {
        const intent = soundIntent(options, entry);
        if (intent instanceof Error) entry.refusal = intent;
        else recorded.set(entry, intent);
      }
      // Durable before any document changes (§6.3); until then the new contents are written beside the old ones.
      const recording = recorded.size > 0 ? journal.record([...recorded.values()]) : Promise.resolve();
      recording.catch(() => undefined);
      options.onBatch(entries.length);
      batch = createBatch(entries, {
        applyChanges: changes => documents.apply(changes, recording),
        appendEvents: events => recording.then(() => log.append(events)),
      });
      await batch.run();
      await recording;
    } catch (reason) {
      for (const entry of entries) entry.result ??= { status: 'rejected', reason };
    } finally {
      batch = null;
    }
    const close = (): void => {
      if (recorded.size > 0) closeRecord(options.kept, options.journal(), recorded);
    };
    try {
      close();
    } catch (cause) {
      stop(entries, close, cause);
      return;
    }
    release(entries);
  };

  /** Resolves what others left on the paths of a batch; entries that must wait go back to the queue. */
  const withoutLeftovers = async (entries: readonly CommitEntry[]): Promise<readonly CommitEntry[]> => {
    const ready: CommitEntry[] = [];
    let named: ReadonlySet<number> = new Set();
    try {
      named = leftovers.slots();
    } catch (reason) {
      for (const entry of entries) entry.result = { status: 'rejected', reason };
      release(entries);
      return [];
    }
    for (const entry of entries) {
      if (!named.has(entry.slot) || (await isClear(entry))) ready.push(entry);
    }
    return ready;
  };
  const isClear = async (entry: CommitEntry): Promise<boolean> => {
    try {
      const { reports, busy } = await leftovers.settle(entry.slot, entry.resolve);
      entry.reports.push(...reports);
      if (!busy) return true;
      pathLocks.unlock(entry.slot);
      queue.defer(entry);
    } catch (reason) {
      entry.result = { status: 'rejected', reason };
      release([entry]);
    }
    return false;
  };

  const release = (entries: readonly CommitEntry[]): void => {
    for (const { slot } of entries) pathLocks.unlock(slot);
    for (const entry of entries) answer(entry);
  };
  /**
   * The journal still shows intents whose commit ended. Committing on, or letting others commit on those paths, could make a later recovery undo
   * what it must not: this store writes no more, and keeps the paths' locks, until the record can be closed or the store is.
   */
  const stop = (entries: readonly CommitEntry[], close: () => void, cause: unknown): void => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    refusal = new Error(`The commit journal cannot be written (${reason}). Mend the disk, or make room on it, and try again.`, { cause });
    stopped = { entries, closeRecord: close };
    for (const entry of entries) {
      entry.result ??= { status: 'rejected', reason: refusal };
      answer(entry);
    }
    for (const entry of queue.drain()) entry.settled.reject(refusal);
  };
  const resume = (): void => {
    if (stopped === null) return;
    try {
      stopped.closeRecord();
    } catch {
      throw refusal;
    }
    for (const { slot } of stopped.entries) pathLocks.unlock(slot);
    stopped = null;
    refusal = null;
  };
  const requireOpen = (): void => {
    resume();
    if (refusal !== null) throw refusal;
  };

  return {
    async run(path, intent, commit, resolve) {
      requireOpen();
      return new Promise((resolvePromise, reject) => {
        const settled = { resolve: resolvePromise as (value: unknown) => void, reject };
        queue.add(commitEntry({ path, slot: pathSlot(path), intent, commit, resolve, deadline: monotonicNow() + lockTimeoutMs, settled }));
        wake();
      });
    },
    settle: async (path, resolve) => {
      requireOpen();
      return byItself(single.settle(path, resolve));
    },
    async change(path, bytes, expected) {
      const entry = batch?.byPath(path);
      // Putting back what a failed commit removed creates nothing new, whatever stands beside it.
      const creates = bytes !== null && 'ifAbsent' in expected && (entry === undefined || entry.intent.prior === null);
      const change = { path, bytes, expected, creates, madeDirectories: entry?.madeDirectories ?? new Set<string>() };
      if (batch !== null && entry !== undefined) return batch.change(entry, change);
      requireOpen();
      return byItself(single.change(change));
    },
    async append(event) {
      const entry = batch?.byEvent(event.event_id);
      if (batch !== null && entry !== undefined) return batch.append(entry, event);
      requireOpen();
      return byItself(appendAlone(event));
    },
    resume,
    async close() {
      refusal ??= closedStore();
      // The record stays in the journal, for whoever opens the vault next.
      stopped = null;
      while (pumping !== null || alone.size > 0) await Promise.allSettled([pumping, ...alone]);
    },
  };
};

/**
 * What to record of an intent, or its refusal when its prior content is not what stands there, now that the path is locked: another commit came first.
 * Such an intent must never be recorded. If the other commit left exactly what this one intends, as two deletes do, recovery after a crash would take the other's
 * acknowledged work for this one's half-done work, and undo it.
 */
const soundIntent = ({ fs, root }: CommitterOptions, { path, slot, intent }: CommitEntry): JournalEntry | Error => {
  try {
    const at = inspectPath(fs, root, path);
    const standing = readInspected(fs, at, path);
    if ((standing === null ? null : hashContent(standing)) === intent.prior_hash) return { intent, slot, directories: at.missing };
    return new VaultError('version_conflict', { path }, `'${path}' changed since it was read. Read it again and repeat the change.`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

/**
 * Ends a batch's record before its locks are given back. Durably, unless the log settles every intent in it: an intent that came back after a power
 * cut, while someone else has committed the same bytes since, would be rolled back wrongly.
 */
const closeRecord = (kept: KeptIntents, journal: WriterJournal, recorded: ReadonlyMap<CommitEntry, JournalEntry>): void => {
  const open = [...recorded].filter(([entry]) => !entry.committed);
  for (const [entry, intent] of open) if (entry.kept) kept.keep(intent);
  try {
    journal.clear(open.length > 0);
  } catch {
    // Once more: a passing failure must not end the store.
    if (open.length > 0) journal.clear(true);
  }
};

const answer = ({ result, settled }: CommitEntry): void => {
  if (result?.status === 'fulfilled') settled.resolve(result.value);
  else settled.reject(result?.reason);
};
