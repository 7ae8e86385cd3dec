import type { IntentJournal, RecoveryReport, ResolveIntent } from '#adapter-contracts';
import { createInProcessJournal } from './in-process-journal.ts';
import type { WorkspaceAdapters } from './kernel-config.ts';
import { createResolver } from './recovery.ts';
import { keepingRefusals, orInternalError } from './refusals.ts';

/** One workspace as the stages see it: its adapters, its journal, and what recovery found in it. */
export interface Workspace {
  readonly id: string;
  readonly adapters: WorkspaceAdapters;
  readonly journal: IntentJournal;
  readonly resolve: ResolveIntent;
  /** Decides every dead writer's commit now (§6.3). */
  readonly recover: () => Promise<readonly RecoveryReport[]>;
  /** The same before this kernel's first operation here; tried again after a failure. */
  readonly recoverOnce: () => Promise<void>;
  /** An operation left its intent for recovery: the next one decides it before anything else. */
  readonly recoverAgain: () => void;
  /** Waits for a live commit on `path` and decides a dead one. */
  readonly settle: (path: string) => Promise<void>;
  /** Tells the host what recovery decided, and keeps conflicts for the next commit's warnings. */
  readonly note: (reports: readonly RecoveryReport[]) => void;
  /** Conflicts found since the last commit, as warnings. */
  readonly conflictWarnings: () => readonly string[];
  /** The warnings were recorded with a commit. */
  readonly conflictsReported: (warnings: readonly string[]) => void;
}

const conflictWarning = ({ path, kept_at }: RecoveryReport): string =>
  `recovery: '${path}' was written outside Sheaf during an unfinished commit; it was left as it is${
    kept_at === undefined ? '' : `, and the unfinished commit is kept at '${kept_at}'`
  }.`;

/** Wires one workspace. `onRecovery` must not stop a commit, so what it throws is dropped. */
export function createWorkspace(
  id: string,
  adapters: WorkspaceAdapters,
  onRecovery: (reports: readonly RecoveryReport[]) => void,
): Workspace {
  const { vfs, events } = adapters;
  const journal = vfs.intentJournal?.() ?? createInProcessJournal(vfs);
  const resolve = createResolver(events);
  let pendingConflicts: readonly string[] = [];
  let firstRecovery: Promise<unknown> | null = null;

  const note = (reports: readonly RecoveryReport[]): void => {
    const decided = reports.filter(report => report.outcome !== 'in_flight');
    if (decided.length === 0) return;
    pendingConflicts = [...pendingConflicts, ...decided.filter(report => report.outcome === 'conflict').map(conflictWarning)];
    try {
      onRecovery(decided);
    } catch {
      // The host's listener is not part of the commit.
    }
  };
  const recover = async (): Promise<readonly RecoveryReport[]> => {
    const reports = await orInternalError('Unfinished commits cannot be resolved', () => journal.recover(resolve));
    note(reports);
    return reports;
  };
  return {
    id,
    adapters,
    journal,
    resolve,
    recover,
    async recoverOnce() {
      firstRecovery ??= recover();
      try {
        await firstRecovery;
      } catch (error) {
        firstRecovery = null;
        throw error;
      }
    },
    recoverAgain() {
      firstRecovery = null;
    },
    async settle(path) {
      note(await keepingRefusals(`An unfinished commit on '${path}' cannot be resolved`, () => journal.settle(path, { resolve })));
    },
    note,
    conflictWarnings: () => pendingConflicts,
    conflictsReported(warnings) {
      pendingConflicts = pendingConflicts.filter(warning => !warnings.includes(warning));
    },
  };
}
