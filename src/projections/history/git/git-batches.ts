import type { DocumentVersion } from '../document-version.ts';

/** What one commit holds: neighbouring changes of one principal. */
export interface GitBatch {
  readonly versions: readonly DocumentVersion[];
}

const mostVersions = 100;
const longestMilliseconds = 60_000;

/** Parts the changes of the log into commits: one principal, at most a minute, at most a hundred changes. */
export const toBatches = (versions: readonly DocumentVersion[]): readonly GitBatch[] => {
  const batches: DocumentVersion[][] = [];
  for (const version of versions) {
    const batch = batches.at(-1);
    const first = batch?.[0];
    const joins =
      batch !== undefined &&
      first !== undefined &&
      batch.length < mostVersions &&
      principalId(first) === principalId(version) &&
      Math.abs(timeOf(version) - timeOf(first)) <= longestMilliseconds;
    if (joins) batch.push(version);
    else batches.push([version]);
  }
  return batches.map(batch => ({ versions: batch }));
};

/** Who caused an event; a record from elsewhere may not say it. */
export const principalId = ({ event }: DocumentVersion): string => {
  const { id } = (event.principal ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : '';
};

/** Milliseconds since the epoch; 0 for a time that cannot be read. */
export const timeOf = ({ event }: DocumentVersion): number => {
  const at = Date.parse(event.timestamp);
  return Number.isNaN(at) ? 0 : Math.max(0, at);
};
