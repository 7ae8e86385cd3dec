import { join } from 'node:path';
import type { FileSystem } from '#adapter-contracts';
import { type EventIndex, pathPrefixes } from './event-index.ts';
import type { EventLog } from './event-log.ts';
import { requireSafePath } from './safe-path.ts';

const documentsPerLook = 200;

/**
 * Finds the document, known to the log and still on disk, whose path differs from `path` only by letter case or Unicode form, in its name or in a
 * directory: on many systems both would be one file (readings: case twins).
 */
export const findTwin = async (fs: FileSystem, root: string, log: EventLog, path: string): Promise<string | null> => {
  requireSafePath(path);
  const isStored = (document: string): boolean => fs.stat(join(root, document))?.kind === 'file';
  return log.withIndex(index => {
    for (const { folded, actual } of pathPrefixes(path)) {
      for (const spelling of index.spellings(folded)) {
        if (spelling === actual) continue;
        const twin = isStored(spelling) ? spelling : documentBelow(index, spelling, isStored);
        if (twin !== null) return twin;
      }
    }
    return null;
  });
};

const documentBelow = (index: EventIndex, directory: string, isStored: (document: string) => boolean): string | null => {
  for (let after = ''; ; ) {
    const documents = index.recordedBelow(directory, after, documentsPerLook);
    const stored = documents.find(isStored);
    if (stored !== undefined) return stored;
    const last = documents.at(-1);
    if (last === undefined) return null;
    after = last;
  }
};
