import type { SurveyMemory } from '../detect-drift.ts';
import type { DatabaseHandle } from './database-handle.ts';
import { patiently } from './levelling.ts';
import { worthLearning } from './scan-files.ts';

/** What surveys of this process and earlier ones learned about files: stamps and the hashes of the bytes behind them. */
export interface SurveyStore {
  /** Runs a survey with everything that is known, and keeps what it learned. */
  surveyed<T>(work: (memory: SurveyMemory) => Promise<T>): Promise<T>;
}

/**
 * Shares the memory of surveys through the database, so that a fresh process reads only files that changed. A stamp tells its bytes for ever, so it never
 * matters who learned it, or when.
 */
export const createSurveyStore = (handle: DatabaseHandle): SurveyStore => {
  let known: Map<string, { readonly stamp: string; readonly hash: string }> | null = null;
  const learned = new Map<string, { readonly stamp: string; readonly hash: string }>();

  const load = (): Map<string, { readonly stamp: string; readonly hash: string }> => {
    const rows = handle.find()?.connection.prepare('SELECT path, stamp, hash FROM coordinator_files WHERE stamp IS NOT NULL').raw().all() as
      | [path: string, stamp: string, hash: string][]
      | undefined;
    const files = new Map<string, { readonly stamp: string; readonly hash: string }>();
    for (const [path, stamp, hash] of rows ?? []) files.set(path, { stamp, hash });
    return files;
  };
  const keep = (): void => {
    const { connection, tables } = handle.use();
    const work = connection.transaction(() => {
      let { revision } = tables.about();
      for (const [path, { stamp, hash }] of learned) {
        const row = tables.file(path);
        if (row?.hash === hash) tables.putFile({ ...row, stamp });
        else {
          revision += 1;
          // Seen, and not yet told to any projection.
          tables.putFile({ path, stamp, hash, kind: row?.kind ?? 0, held: 0, revision });
        }
      }
      tables.setAbout({ revision });
    });
    work.immediate();
    learned.clear();
  };
  return {
    async surveyed(work) {
      known ??= load();
      const memory = known;
      const result = await work({
        get: path => memory.get(path),
        set(path, state) {
          learned.set(path, state);
          return memory.set(path, state);
        },
        delete(path) {
          learned.delete(path);
          return memory.delete(path);
        },
      });
      if (learned.size >= worthLearning) await patiently(keep).catch(() => undefined);
      return result;
    },
  };
};
