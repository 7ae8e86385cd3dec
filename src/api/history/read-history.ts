import type { CanonicalEvent } from '#adapter-contracts';
import { invalidMember, VaultError } from '#errors';
import { type DocumentVersion, documentVersion, readVersions } from '#projections';
import { type HistorySource, noDocument, storedVersion, versionAfter, versionBefore } from './past-version.ts';
import { unifiedDiff } from './unified-diff.ts';
import type { DocumentChange, DocumentDiff, PastVersion } from './vault-history.ts';

/** The event of this workspace with this id. Throws `not_found`. */
export const findEvent = async ({ events, workspaceId }: HistorySource, eventId: string): Promise<CanonicalEvent> => {
  const event = await events.findById(eventId);
  if (event?.workspace_id === workspaceId) return event;
  throw new VaultError('not_found', { path: eventId }, `The log holds no event '${eventId}'.`);
};

/** What an event did to its document; see `VaultHistory.change`. */
export const changeOf = async (source: HistorySource, eventId: string): Promise<DocumentChange> => {
  const event = await findEvent(source, eventId);
  const version = documentVersion(event);
  if (version === null) return { event, changes_document: false, before: noDocument, after: noDocument, diff: '' };
  const [before, after] = [await versionBefore(source, version), await versionAfter(source, version)];
  return { event, changes_document: true, before, after, diff: diffOf(version.path, before, after) };
};

/** The document right after an event; see `VaultHistory.at`. */
export const documentAt = async (source: HistorySource, path: string, eventId: string): Promise<PastVersion> => {
  const version = await lastVersion(source, path, eventId);
  return version === null ? noDocument : versionAfter(source, version);
};

const lastVersion = async (source: HistorySource, path: string, upTo: string): Promise<DocumentVersion | null> => {
  const history = await readVersions(source, path, { upTo, most: 1 });
  if (history === null) throw new VaultError('not_found', { path: upTo }, `The log holds no event '${upTo}'.`);
  return history.versions.at(-1) ?? null;
};

/** See `VaultHistory.diff`. */
export const diffOfDocument = async (source: HistorySource, path: string, fromId?: string, toId?: string): Promise<DocumentDiff> => {
  const [from, to] = await sidesOf(source, path, fromId, toId);
  return { path, from, to, diff: diffOf(path, from, to) };
};

const sidesOf = async (
  source: HistorySource,
  path: string,
  fromId?: string,
  toId?: string,
): Promise<readonly [PastVersion, PastVersion]> => {
  if (fromId === undefined) return unrecordedSides(source, path);
  if (toId !== undefined) return [await documentAt(source, path, fromId), await documentAt(source, path, toId)];
  const version = documentVersion(await findEvent(source, fromId));
  if (version?.path !== path) {
    const about = version === null ? 'changed no document' : `is about '${version.path}'`;
    throw invalidMember('from', `the event ${about}; name two events to compare '${path}' between them`);
  }
  return [await versionBefore(source, version), await versionAfter(source, version)];
};

const unrecordedSides = async (source: HistorySource, path: string): Promise<readonly [PastVersion, PastVersion]> => {
  const { events, workspaceId } = source;
  const last = await events.lastRecorded(workspaceId, path);
  const event = last === null ? null : await events.findById(last.event_id);
  const version = event === null ? null : documentVersion(event);
  const stored = await storedVersion(source, path);
  if (version === null && stored.hash === null)
    throw new VaultError('not_found', { path }, `Neither the log nor the vault knows '${path}'.`);
  return [version === null ? noDocument : await versionAfter(source, version), stored];
};

const diffOf = (path: string, from: PastVersion, to: PastVersion): string | null => {
  if (from.hash === to.hash) return '';
  if (from.missing !== undefined || to.missing !== undefined) return null;
  return unifiedDiff(path, { text: from.content, label: labelOf(from) }, { text: to.content, label: labelOf(to) });
};

const labelOf = ({ event_id: eventId, timestamp, hash }: PastVersion): string => {
  if (eventId !== null) return `${eventId} ${timestamp ?? ''}`.trimEnd();
  return hash ?? 'no document';
};
