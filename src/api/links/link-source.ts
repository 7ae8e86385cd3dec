import type { Clock, LeaseStore } from '#adapter-contracts';
import type { Kernel } from '#kernel';
import { type ScanSource, scanFile } from '#projections';
import type { Registry } from '#registry';
import { type LinkedDocument, linkedDocument } from '#semantic';

/** What the work on links needs of a vault. */
export interface LinkSource extends ScanSource {
  readonly registry: Registry;
  readonly kernel: Kernel;
  readonly leases: LeaseStore;
  readonly clock: Clock;
}

/** Every Markdown file of the vault as links see it, in path order. */
export type SurveyLinks = () => Promise<readonly LinkedDocument[]>;

/** Reads the whole vault at the first question, and then only files whose stamp changed. */
export const createLinkSurvey = (source: LinkSource): SurveyLinks => {
  let known = new Map<string, { readonly stamp: string; readonly document: LinkedDocument }>();
  return async () => {
    const { vfs, registry } = source;
    const seen: typeof known = new Map();
    const documents: LinkedDocument[] = [];
    for await (const entry of vfs.list()) {
      // Before reading: a change in between makes the stamp an old one, which the next survey finds out.
      const stamp = vfs.stamp?.(entry.path) ?? null;
      const before = known.get(entry.path);
      const reused = before !== undefined && before.stamp === stamp ? before.document : null;
      const document = reused ?? (await readLinked(source, entry, registry));
      if (document === null) continue;
      documents.push(document);
      if (stamp !== null) seen.set(entry.path, { stamp, document });
    }
    known = seen;
    return documents;
  };
};

const readLinked = async (
  source: LinkSource,
  entry: Parameters<typeof scanFile>[1],
  registry: Registry,
): Promise<LinkedDocument | null> => {
  const scanned = await scanFile(source, entry);
  return scanned.kind === 'markdown' ? linkedDocument(scanned.path, scanned.hash, scanned.parsed, registry) : null;
};
