import { fileNameKind } from '../file-name-kind.ts';
import type { Finding } from './apply-batch.ts';
import type { FileRow } from './coordinator-tables.ts';
import { confirmGone, findNews } from './find-news.ts';
import { commit, type Levelling } from './levelling.ts';

/** Looks at single paths, and at the names beside them that count as copies only while their document is there. */
export const lookAtPaths = async (levelling: Levelling, paths: Iterable<string>): Promise<readonly Finding[]> => {
  const removals = levelling.database.tables.about().removals;
  const { findings, gone } = await lookOnce(levelling, paths, removals);
  return [...findings, ...(await confirmGone(levelling, gone, removals))];
};

/** Without looking again at what is not there. */
const lookOnce = async (
  levelling: Levelling,
  paths: Iterable<string>,
  removals: number,
): Promise<{ readonly findings: readonly Finding[]; readonly gone: readonly FileRow[] }> => {
  const { tables } = levelling.database;
  const findings: Finding[] = [];
  const gone: FileRow[] = [];
  const seen = new Set<string>();
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const row = tables.file(path);
    const news = await findNews(levelling, { path, kind: 'file' }, row, removals, false);
    if (news === 'gone') gone.push(row!);
    else if (news !== null && news.news !== 'stamp') findings.push(news);
    if (news === 'gone' || (news !== null && row === undefined)) pending.push(...copiesOf(levelling, path));
  }
  return { findings, gone };
};

const copiesOf = ({ database }: Levelling, path: string): readonly string[] => {
  const stem = path.replace(/\.[^./]*$/, '');
  // Names like `note (conflict).md` and `note_BASE_1.md`; ')' and '`' are the characters after '(' and '_'.
  const beside = [...database.tables.filesBetween(`${stem} (`, `${stem} )`), ...database.tables.filesBetween(`${stem}_`, `${stem}\``)];
  return beside.map(row => row.path).filter(other => originalOf(other) === path);
};

const originalOf = (path: string): string | null => {
  const name = fileNameKind(path);
  return 'original' in name ? name.original : null;
};

/** Other processes may change what was looked at, again and again; the next levelling goes on. */
const maxRounds = 20;

/** Looks at everything that was reported. Resolves to the files taken over. */
export const levelTouched = async (levelling: Levelling): Promise<number> => {
  const { touched, batchFiles } = levelling;
  let taken = 0;
  for (let round = 0; touched.size > 0 && round < maxRounds; round += 1) {
    const paths = [...touched];
    touched.clear();
    try {
      const all = await expand(levelling, paths);
      const gone: FileRow[] = [];
      for (let from = 0; from < all.length; from += batchFiles) {
        const seen = await lookOnce(levelling, all.slice(from, from + batchFiles), levelling.database.tables.about().removals);
        gone.push(...seen.gone);
        taken += await takeOver(levelling, seen.findings);
      }
      // Waited for once, however many there are: a checkout may take thousands of files away.
      const confirmed = await confirmGone(levelling, gone, levelling.database.tables.about().removals);
      for (let from = 0; from < confirmed.length; from += batchFiles)
        taken += await takeOver(levelling, confirmed.slice(from, from + batchFiles));
    } catch (error) {
      for (const path of paths) touched.add(path);
      throw error;
    }
  }
  return taken;
};

const takeOver = async (levelling: Levelling, findings: readonly Finding[]): Promise<number> =>
  findings.length === 0 ? 0 : (await commit(levelling, { findings, events: [], log: null, pass: null })).files;

/** A directory (trailing `/`) stands for what is below it now, and what was. */
const expand = async ({ source, database }: Levelling, paths: readonly string[]): Promise<readonly string[]> => {
  const all = new Set<string>();
  for (const path of paths) {
    if (!path.endsWith('/')) {
      all.add(path);
      continue;
    }
    // '0' is the character after '/'.
    for (const row of database.tables.filesBetween(path, `${path.slice(0, -1)}0`)) all.add(row.path);
    try {
      for await (const entry of source.vfs.list(path)) if (entry.kind === 'file') all.add(entry.path);
    } catch {
      // No directory a vault may have: nothing below it is a document.
    }
  }
  return [...all];
};
