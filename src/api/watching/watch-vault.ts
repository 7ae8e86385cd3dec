import type { FileWatch, WatchFiles } from '#adapter-contracts';
import { reasonOf } from '#errors';
import type { VaultProjections } from '#projections';
import type { VaultNotice } from '../vault.ts';
import type { AdoptSettled } from './adopt-settled.ts';
import { createSettling } from './settling.ts';
import type { VaultWatch, WatchOptions, WatchState } from './vault-watch.ts';

/** What a watch needs of its vault. */
export interface WatchedVault {
  readonly watchFiles: WatchFiles;
  readonly projections: Pick<VaultProjections, 'level' | 'touched' | 'watched'>;
  /** Null where hand edits wait for a person. */
  readonly adopt: AdoptSettled | null;
  /** Called when the watch ends, whoever ends it. */
  onEnd(): void;
}

/** A watch with what the vault itself shows of it. */
export interface RunningWatch extends VaultWatch {
  notices(): readonly VaultNotice[];
}

/** A save is over when nothing happened for so long; a file that is written without a pause is looked at all the same. */
const saved = { quietMs: 100, atMostMs: 1_000 };
/** The log remembers for ever what it is told, so adopting waits longer; a document that is gone gets time to come back. */
const adoptQuietMs = 400;
const goneQuietMs = 2_000;
/** Systems drop reports when too many wait; whoever relies on them looks through the vault now and then. */
const safetyScanMs = 60_000;
/** Without reports: so often, and for at most a twentieth of the time. */
const scanMs = 2_000;
const scanShare = 20;
/** More at once are not looked at one by one. */
const manyPaths = 2_000;

const everything = '';

/** Follows the files of a vault: keeps what is derived from them level and, where the vault is configured so, adopts hand edits. */
export const watchVault = async (vault: WatchedVault, options: WatchOptions = {}): Promise<RunningWatch> => {
  let lost: string | null = null;
  let failure: string | null = null;
  let changes = 0;
  let adopted = 0;
  let closed = false;
  let work: Promise<void> = Promise.resolve();
  let files: FileWatch | null = null;
  let scan: NodeJS.Timeout | null = null;

  /** One thing after the other; what fails is said and tried again by the next scan. */
  const then = (step: () => Promise<void>): Promise<void> => {
    work = work.then(async () => {
      if (closed) return;
      try {
        await step();
        failure = null;
      } catch (error) {
        failure = reasonOf(error);
      }
    });
    return work;
  };
  const adoptNow = (paths: readonly string[] | null, gone: boolean): void => {
    const { adopt } = vault;
    if (adopt === null || closed) return;
    if (files?.busy() === true) {
      for (const path of paths ?? [everything]) settledEdits.note(path);
      return;
    }
    void then(async () => {
      const { results, later } = await adopt(paths, { gone });
      for (const path of later.busy) settledEdits.note(path);
      for (const path of later.gone) absences.note(path);
      adopted += results.filter(({ outcome }) => outcome === 'adopted').length;
      if (results.length > 0) options.onAdopted?.(results);
    });
  };
  const settledEdits = createSettling({
    quietMs: adoptQuietMs,
    settled: paths => adoptNow(paths.includes(everything) ? null : paths, false),
  });
  const absences = createSettling({ quietMs: goneQuietMs, settled: paths => adoptNow(paths, true) });
  const settledFiles = createSettling({
    ...saved,
    settled(paths) {
      const all = paths.includes(everything) || paths.length > manyPaths;
      changes += paths.length;
      if (all) void then(async () => void (await vault.projections.level({ scan: true })));
      else vault.projections.touched(paths);
      options.onChange?.(all ? null : paths);
      if (vault.adopt !== null) for (const path of all ? [everything] : paths) settledEdits.note(path.endsWith('/') ? everything : path);
    },
  });
  const note = (path: string): void => {
    settledFiles.note(path);
    settledEdits.forget(path);
    absences.forget(path);
  };
  const scanLater = (afterMs: number): void => {
    if (closed) return;
    if (scan !== null) clearTimeout(scan);
    scan = setTimeout(() => void scanNow(), afterMs).unref();
  };
  const scanNow = async (beginning = false): Promise<void> => {
    const start = performance.now();
    await then(async () => {
      const { files: changed } = await vault.projections.level({ scan: true });
      if (changed === 0 || beginning) return;
      changes += changed;
      options.onChange?.(null);
    });
    adoptNow(null, false);
    await work;
    scanLater(lost === null ? safetyScanMs : Math.max(scanMs, scanShare * (performance.now() - start)));
  };

  const close = async (): Promise<void> => {
    if (!closed) {
      closed = true;
      vault.projections.watched(false);
      files?.close();
      if (scan !== null) clearTimeout(scan);
      for (const each of [settledFiles, settledEdits, absences]) each.close();
      options.signal?.removeEventListener('abort', onAbort);
      vault.onEnd();
    }
    await work;
  };
  const onAbort = (): void => void close();

  files = await vault.watchFiles({
    changed(paths) {
      for (const path of paths) {
        // Of single files only documents matter.
        if (path === everything || path.endsWith('/') || path.endsWith('.md')) note(path);
      }
    },
    lost(reason) {
      lost = reason;
      if (closed) return;
      vault.projections.watched(reason === null);
      if (files !== null) scanLater(reason === null ? safetyScanMs : scanMs);
    },
  });
  options.signal?.addEventListener('abort', onAbort);
  if (options.signal?.aborted === true) await close();
  else {
    vault.projections.watched(lost === null);
    // What changed while nobody watched.
    void scanNow(true);
  }
  const state = (): WatchState => ({
    mode: lost === null ? 'events' : 'scanning',
    reason: lost,
    adopts: vault.adopt !== null,
    changes,
    adopted,
  });
  return { state, close, notices: () => (closed ? [] : noticesOf(lost, failure)) };
};

const noticesOf = (lost: string | null, failure: string | null): readonly VaultNotice[] => [
  ...(lost === null
    ? []
    : [
        {
          kind: 'watch_scanning',
          message: `Changes of files are not reported: ${lost}. The vault is looked through every few seconds instead.`,
        },
      ]),
  ...(failure === null
    ? []
    : [{ kind: 'watch_failed', message: `Changes of files could not be followed: ${failure}. It is tried again.` }]),
];
