import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock, RecoveryReport } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { ensurePrivateDirectory } from './machine-directory.ts';

/** One resolved intent as `recovery.jsonl` keeps it (§6.3). */
export interface RecoveryNote extends RecoveryReport {
  readonly recorded_at: string;
}

/** What recovery decided on this machine, so that a person can ask later what became of a half-done write. */
export interface RecoveryNotes {
  /** Appends resolved intents; live ones (`in_flight`) are no outcome and are left out. */
  append(reports: readonly RecoveryReport[]): void;
  /** Oldest first, and how many lines of the file could not be read. */
  read(): { readonly notes: readonly RecoveryNote[]; readonly unreadable: number };
}

const noteShape = z.looseObject({
  recorded_at: z.string(),
  workspace_id: z.string(),
  path: z.string(),
  event_id: z.string(),
  outcome: z.string(),
});

/** Opens `recovery.jsonl` in the machine state; nothing is created before the first outcome. */
export const openRecoveryNotes = (options: { readonly stateDir: string; readonly clock: Clock }): RecoveryNotes => {
  const file = join(options.stateDir, 'recovery.jsonl');
  return {
    append(reports) {
      const recorded_at = options.clock.now().toISOString();
      const lines = reports
        .filter(report => report.outcome !== 'in_flight')
        .map(report => `${JSON.stringify({ recorded_at, ...report })}\n`);
      if (lines.length === 0) return;
      ensurePrivateDirectory(options.stateDir);
      const fd = openSync(file, 'a', 0o600);
      try {
        // One write in append mode: lines of several processes never mix.
        writeSync(fd, lines.join(''));
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    },
    read() {
      const lines = existsSync(file)
        ? readFileSync(file, 'utf8')
            .split('\n')
            .filter(line => line !== '')
        : [];
      const notes = lines.map(parseNote).filter(note => note !== null);
      return { notes, unreadable: lines.length - notes.length };
    },
  };
};

/** Appends resolved intents. Recovery must not fail where they cannot be noted, so gives what a person should know then; null = noted. */
export const noteRecoveries = (notes: RecoveryNotes, reports: readonly RecoveryReport[]): string | null => {
  try {
    notes.append(reports);
    return null;
  } catch (error) {
    return `the outcome of a recovery could not be noted in the machine state: ${reasonOf(error)}`;
  }
};

/** The notes of a vault in memory: they end with it. */
export const createMemoryRecoveryNotes = (clock: Clock): RecoveryNotes => {
  const notes: RecoveryNote[] = [];
  return {
    append(reports) {
      const recorded_at = clock.now().toISOString();
      notes.push(...reports.filter(report => report.outcome !== 'in_flight').map(report => ({ recorded_at, ...report })));
    },
    read: () => ({ notes: [...notes], unreadable: 0 }),
  };
};

const parseNote = (line: string): RecoveryNote | null => {
  try {
    const note = noteShape.safeParse(JSON.parse(line));
    return note.success ? (note.data as unknown as RecoveryNote) : null;
  } catch {
    return null;
  }
};
