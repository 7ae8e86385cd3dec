import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** As `mkdir -p`. Node's own recursion never ends below a directory where whatever is made does not exist, such as `/proc`. */
export const makeDirectories = (directory: string, mode = 0o777): void => {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectories(parent, mode);
  try {
    mkdirSync(directory, mode);
  } catch (error) {
    // Another process may have been faster.
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
};

/** Makes a directory that only its owner may enter; one that was left open wider is closed again (readings: machine state). */
export const ensurePrivateDirectory = (directory: string): void => {
  makeDirectories(directory, 0o700);
  // Windows has no mode bits; its profile directories are private already.
  if (process.platform !== 'win32' && (statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
};

/**
 * Replaces a small file as a whole: readers see the old text or the new one, also after a power cut.
 * `mode` defaults to 0600, for the machine state; files inside a vault pass 0644.
 */
export const writeFileDurably = (path: string, text: string, mode = 0o600): void => {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const fd = openSync(temporary, 'wx', mode);
  try {
    try {
      writeSync(fd, text);
      // Before the rename, or the name could outlive a crash that its content did not.
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
};

/** Replaces a small file of the machine state as a whole; makes its directory when it is not there. */
export const writeStateFile = (path: string, text: string): void => {
  ensurePrivateDirectory(dirname(path));
  writeFileDurably(path, text);
};

/** Makes a rename durable. Windows cannot open directories and journals its renames. */
const syncDirectory = (directory: string): void => {
  if (process.platform === 'win32') return;
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
