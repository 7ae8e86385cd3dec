import type { Principal } from '#adapter-contracts';
import type { Kernel } from '#kernel';
import { type DriftRow, type ScanSource, type SurveyMemory, surveyDrift, surveyPaths } from '#projections';
import type { AdoptionResult } from '../adoption-result.ts';

interface AdopterParts {
  readonly source: ScanSource;
  readonly kernel: Kernel;
  /** Whether an envelope of this process is being executed for a path. */
  isExecuting(path: string): boolean;
  adoptRows(rows: readonly DriftRow[], principal: Principal): Promise<readonly AdoptionResult[]>;
  readonly principal: () => Principal;
}

/** What one round of adopting did. */
interface Round {
  /** Without refusals that were told before. */
  readonly results: readonly AdoptionResult[];
  /** Paths to be looked at again: a commit is under way there, or the document is gone and may come back. */
  readonly later: { readonly busy: readonly string[]; readonly gone: readonly string[] };
}

/** Adopts what has settled at the given paths, or anywhere (null); deletions only where `gone` says that the absence has lasted. */
export type AdoptSettled = (paths: readonly string[] | null, options: { readonly gone: boolean }) => Promise<Round>;

/**
 * Accepts hand edits as the person at this machine (readings: hand edits). What `sheaf adopt` would refuse, or ask a person about, stays drifted and is
 * reported by `status`: invalid documents, conflict markers, copies, and documents that decide about rights or types.
 */
export const createAdoptSettled = (parts: AdopterParts): AdoptSettled => {
  const memory: SurveyMemory = new Map();
  const told = new Map<string, string>();
  const isNews = (row: DriftRow | undefined, result: AdoptionResult): boolean => {
    const said = JSON.stringify([row?.stored_hash, result.outcome, result.reason]);
    const known = told.get(result.path) === said;
    if (result.outcome === 'refused' || result.outcome === 'needs_confirmation') told.set(result.path, said);
    else told.delete(result.path);
    return !known;
  };
  return async (paths, { gone }) => {
    // What looks new may be what a damaged line was about; a person decides.
    const damaged = ((await parts.source.events.knownDamage?.()) ?? []).some(({ kind }) => kind === 'unreadable');
    const found = paths === null ? (await surveyDrift(parts.source, memory)).rows : await surveyPaths(parts.source, paths);
    const rows = found.filter(row => row.change !== null && !(row.kind === 'untracked' && damaged));
    const later = { busy: [] as string[], gone: [] as string[] };
    if (rows.length === 0) return { results: [], later };
    const written = await pathsInFlight(parts.kernel);
    const chosen = rows.filter(row => {
      // Found by looking through the vault, it may be in the middle of a save; what was named has rested.
      const young = paths === null && row.change !== 'delete' && parts.source.vfs.stamp?.(row.path) === null;
      const busy = young || parts.isExecuting(row.path) || written.has(row.path);
      const vanished = row.change === 'delete' && !gone;
      if (busy) later.busy.push(row.path);
      else if (vanished) later.gone.push(row.path);
      return !busy && !vanished;
    });
    const results = await parts.adoptRows(chosen, parts.principal());
    const rowsByPath = new Map(chosen.map(row => [row.path, row]));
    return { results: results.filter(result => isNews(rowsByPath.get(result.path), result)), later };
  };
};

/** Documents that other live processes have written and not yet recorded: their bytes are no hand edit. */
const pathsInFlight = async (kernel: Kernel): Promise<ReadonlySet<string>> =>
  new Set((await kernel.recover()).filter(({ outcome }) => outcome === 'in_flight').map(({ path }) => path));
