import { setTimeout as delay } from 'node:timers/promises';
import type { StoredDocument } from '#adapter-contracts';
import type { ScanSource } from './scan-source.ts';

/** Longer than an editor takes from the first to the last step of a save. */
const patienceMs = 120;
const lookMs = 8;

/**
 * The stored file, or null, as it is once a save is over: editors remove a file, or cut it to nothing, right before they write it anew. A document that
 * the log knows and that is gone or empty is therefore looked at again for a moment before it counts so. Throws what the store throws.
 */
export const readSettled = async (source: ScanSource, path: string): Promise<StoredDocument | null> => {
  let stored = await source.vfs.read(path);
  if (!isMidSave(stored) || !(await isKnownOtherwise(source, path, stored))) return stored;
  for (const end = performance.now() + patienceMs; isMidSave(stored) && performance.now() < end; ) {
    await delay(lookMs);
    stored = await source.vfs.read(path);
  }
  return stored;
};

/** Of documents that were not there, those that stay away for a moment; all are waited for together. */
export const stillMissing = async (source: ScanSource, paths: readonly string[], patience = patienceMs): Promise<readonly string[]> => {
  let missing = paths;
  for (const end = performance.now() + patience; missing.length > 0; ) {
    const away: string[] = [];
    for (const path of missing) if (await isAway(source, path)) away.push(path);
    missing = away;
    if (performance.now() >= end) break;
    if (missing.length > 0) await delay(lookMs);
  }
  return missing;
};

const isAway = async ({ vfs }: ScanSource, path: string): Promise<boolean> => {
  try {
    return (await vfs.read(path)) === null;
  } catch {
    // Something is there, if only a link.
    return false;
  }
};

const isMidSave = (stored: StoredDocument | null): boolean => stored === null || stored.bytes.length === 0;

/** Whether the log knows a document there that is not, or not only, what was read. */
const isKnownOtherwise = async (source: ScanSource, path: string, stored: StoredDocument | null): Promise<boolean> => {
  // A log that cannot be read keeps nobody from reading; then nothing is waited for.
  const known = await source.events.lastRecorded(source.workspaceId, path).catch(() => null);
  return known !== null && known.hash !== null && known.hash !== stored?.hash;
};
