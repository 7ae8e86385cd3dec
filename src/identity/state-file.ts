import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from './file-lock.ts';
import { ensurePrivateDirectory, writeFileDurably } from './machine-directory.ts';

/** A small file of the machine state, read and replaced as a whole (readings: machine state). */
export interface StateFile {
  /** For messages: where it is. */
  readonly path: string;
  /** Null while nothing was written. Every look reads it anew, so that a change by another process counts at once. */
  read(): string | null;
  /** Replaces it by what `edit` makes of it, one change at a time; what `edit` throws leaves it as it is. */
  change(edit: (text: string | null) => string): Promise<void>;
}

/** Opens `<name>.json` in the machine state of a vault; nothing is created before the first change. */
export const openStateFile = (stateDir: string, name: string): StateFile => {
  const path = join(stateDir, `${name}.json`);
  const read = (): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  return {
    path,
    read,
    change(edit) {
      ensurePrivateDirectory(stateDir);
      return withFileLock(join(stateDir, `${name}.lock`), () => writeFileDurably(path, edit(read())));
    },
  };
};

/** The same for a vault in memory. */
export const createMemoryStateFile = (name: string): StateFile => {
  let kept: string | null = null;
  return {
    path: `${name}.json`,
    read: () => kept,
    change: async edit => {
      kept = edit(kept);
    },
  };
};
