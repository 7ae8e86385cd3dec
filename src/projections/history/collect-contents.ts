import type { EventStore } from '#adapter-contracts';
import type { ContentStore, KeptContent } from './content-store.ts';
import { documentVersion } from './document-version.ts';

/** What the history of a vault may take; nothing given = everything is kept for ever. */
export interface HistoryLimit {
  readonly maxBytes?: number;
  readonly maxAgeDays?: number;
}

/** What a collection removed, or would remove. */
export interface HistoryCollection {
  readonly kept: { readonly contents: number; readonly bytes: number };
  readonly removed: { readonly contents: number; readonly bytes: number };
}

interface CollectionSource {
  readonly contents: ContentStore;
  readonly events: EventStore;
  readonly workspaceId: string;
  readonly now: Date;
}

const dayMilliseconds = 86_400_000;
/** A content is written a moment after its event; one this young may belong to an event that this look at the log missed. */
const youngForMilliseconds = 60_000;

/**
 * Removes past contents beyond the stated limit, those first that stopped being current longest ago. What is the last recorded content of a document, and
 * what was kept within the last minute, always stays.
 */
export const collectContents = async (
  { contents, events, workspaceId, now }: CollectionSource,
  limit: HistoryLimit,
  options: { readonly dryRun?: boolean } = {},
): Promise<HistoryCollection> => {
  await contents.flush();
  const all: KeptContent[] = [];
  for await (const content of contents.list()) all.push(content);
  const lastNamed = await lastNamings(events, workspaceId);
  // As late as can be: an undo may have made an old content the newest one while the log was read.
  const current = new Set<string>();
  for await (const { hash } of events.lastRecordedAll(workspaceId)) if (hash !== null) current.add(hash);
  const age = (content: KeptContent): number => now.getTime() - (lastNamed.get(content.hash) ?? content.keptAt);
  const removable = all
    .filter(({ hash, keptAt }) => !current.has(hash) && now.getTime() - keptAt >= youngForMilliseconds)
    .sort((a, b) => age(b) - age(a) || (a.hash < b.hash ? -1 : 1));
  let bytes = all.reduce((sum, content) => sum + content.bytes, 0);
  const tooOld = (limit.maxAgeDays ?? Number.POSITIVE_INFINITY) * dayMilliseconds;
  const removed = removable.filter(content => {
    const goes = bytes > (limit.maxBytes ?? Number.POSITIVE_INFINITY) || age(content) > tooOld;
    if (goes) bytes -= content.bytes;
    return goes;
  });
  if (options.dryRun !== true) {
    for (const { hash } of removed) await contents.remove(hash);
    await contents.sweep();
  }
  const removedBytes = removed.reduce((sum, content) => sum + content.bytes, 0);
  return { kept: { contents: all.length - removed.length, bytes }, removed: { contents: removed.length, bytes: removedBytes } };
};

/** When each hash was last named by an event, in milliseconds: as what it left, or as what it replaced. */
const lastNamings = async (events: EventStore, workspaceId: string): Promise<ReadonlyMap<string, number>> => {
  const namings = new Map<string, number>();
  for await (const { event } of events.replay({ workspaceId })) {
    const version = documentVersion(event);
    if (version === null) continue;
    const at = Date.parse(event.timestamp);
    if (Number.isNaN(at)) continue;
    for (const hash of [version.before, version.after]) if (hash !== null) namings.set(hash, at);
  }
  return namings;
};
