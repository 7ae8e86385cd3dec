import { setImmediate as turn } from 'node:timers/promises';
import type { VfsEntry } from '#adapter-contracts';
import type { Finding } from './apply-batch.ts';
import type { FileRow } from './coordinator-tables.ts';
import { confirmGone, findNews } from './find-news.ts';
import { commit, type Levelling } from './levelling.ts';

/** Text of one transaction; it is in memory as a whole, parsed. */
const batchBytes = 8 << 20;
const filesPerTurn = 256;
/** Fewer new stamps are not worth a write: reading so few files again costs next to nothing, and an unchanged vault leaves its files alone (§10.1). */
export const worthLearning = 64;

/** One pass over all files: what changed is taken over; projections that are being built, and asked for, are given everything. Resolves to the files taken over. */
export const scanFiles = async (levelling: Levelling): Promise<{ readonly taken: number; readonly seen: number }> => {
  const { source, database, asked, batchFiles, onProgress, signal } = levelling;
  const { tables } = database;
  const { removals, scanned } = tables.about();
  const building = tables.projections().filter(row => row.stage === 'building' && asked.some(({ id }) => id === row.id));
  const builds = building.map(({ id }) => id);
  const builtTo = building.map(row => row.built_to).sort()[0] ?? null;
  const rows = new Map(tables.files().map(row => [row.path, row]));
  const entries: VfsEntry[] = [];
  for await (const entry of source.vfs.list()) entries.push(entry);
  const tell = (done: number): void => {
    for (const id of builds) onProgress?.({ projection: id, done, total: entries.length });
  };
  const gone: FileRow[] = [];
  const learned: Finding[] = [];
  let findings: Finding[] = [];
  let size = 0;
  let taken = 0;
  // Files up to there were given to whoever is being built; one that was begun anew since has not got them.
  let after = builtTo ?? '';
  const flush = async (to: string | null): Promise<void> => {
    const { files } = await commit(levelling, { findings, events: [], log: null, pass: { builds, after, to } });
    taken += files;
    if (to !== null && to > after) after = to;
    findings = [];
    size = 0;
    await turn();
  };
  for (const [index, entry] of entries.entries()) {
    if (index % filesPerTurn === 0) {
      signal?.throwIfAborted();
      await turn();
    }
    const row = rows.get(entry.path);
    rows.delete(entry.path);
    const news = await findNews(levelling, entry, row, removals, builtTo !== null && entry.path > builtTo);
    if (news === 'gone') gone.push(row!);
    else if (news?.news === 'stamp') learned.push({ ...news, look: { ...news.look, file: null } });
    else if (news !== null) {
      findings.push(news);
      size += news.look.size;
    }
    if (findings.length >= batchFiles || size >= batchBytes) {
      await flush(entry.path);
      tell(index + 1);
    }
  }
  const lost = await confirmGone(levelling, [...gone, ...rows.values()], removals);
  for (let from = 0; from < lost.length; from += batchFiles) {
    const { files } = await commit(levelling, { findings: lost.slice(from, from + batchFiles), events: [], log: null, pass: null });
    taken += files;
  }
  if (learned.length >= worthLearning) for (const finding of learned) findings.push(finding);
  if (findings.length > 0 || building.length > 0 || scanned === 0) await flush(null);
  tell(entries.length);
  return { taken, seen: entries.length };
};
