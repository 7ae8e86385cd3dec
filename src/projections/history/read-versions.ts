import type { EventStore } from '#adapter-contracts';
import { type DocumentVersion, documentVersion } from './document-version.ts';

/** The versions of one document in log order. */
export interface VersionHistory {
  readonly versions: readonly DocumentVersion[];
  /** How many older ones were left out, to bound memory. */
  readonly earlier: number;
}

/** How far back one answer looks; a document with more versions is told from here on. */
export const mostVersions = 10_000;

/**
 * The versions of a document, or those up to an event of this log, whatever that event is about; the newest `most` of them. Null when the log does not
 * hold that event.
 */
export const readVersions = async (
  source: { readonly events: EventStore; readonly workspaceId: string },
  path: string,
  options: { readonly upTo?: string; readonly most?: number } = {},
): Promise<VersionHistory | null> => {
  const { upTo, most = mostVersions } = options;
  if (upTo !== undefined && (await source.events.findById(upTo))?.workspace_id !== source.workspaceId) return null;
  let versions: DocumentVersion[] = [];
  let earlier = 0;
  for await (const { event } of source.events.replay({ workspaceId: source.workspaceId })) {
    const version = event.subject === path ? documentVersion(event) : null;
    if (version !== null) versions.push(version);
    // In steps, because taking one from the front of a long list for each event moves all others.
    if (versions.length > most * 2) {
      earlier += versions.length - most;
      versions = versions.slice(-most);
    }
    if (event.event_id === upTo) break;
  }
  const over = Math.max(0, versions.length - most);
  return { versions: versions.slice(over), earlier: earlier + over };
};
