import type { CanonicalEvent, LastRecorded, StoredDocument } from '#adapter-contracts';
import { hashContent } from '#document';
import { invalidMember, VaultError } from '#errors';
import { completePrincipal, type Kernel, type KernelResponse } from '#kernel';
import { type DocumentVersion, documentVersion } from '#projections';
import type { Registry } from '#registry';
import { findText, type HistorySource } from './past-version.ts';
import { planUndo } from './plan-undo.ts';
import { findEvent } from './read-history.ts';
import type { UndoOptions } from './vault-history.ts';

export interface UndoSource extends HistorySource {
  readonly registry: Registry;
  readonly kernel: Kernel;
}

/** What an undo starts from: the document as it is, and what the log last said about it. */
interface Present {
  readonly stored: StoredDocument | null;
  readonly last: LastRecorded | null;
  readonly lastEvent: CanonicalEvent | null;
}

/** Begins every derived key; reserved for the host, so that nobody can take the key of an undo beforehand. */
const keyPrefix = 'undo-';

/** See `VaultHistory.undo`. */
export const undoEvent = async (source: UndoSource, eventId: string, options: UndoOptions): Promise<KernelResponse> => {
  const principal = completePrincipal(options.principal);
  const version = documentVersion(await findEvent(source, eventId));
  if (version === null) throw invalidMember('event_id', `the event '${eventId}' changed no document, so there is nothing to undo`);
  const present = await presentOf(source, version.path);
  const done = await earlierUndo(source, version, present, principal.id, options.key);
  const storedHash = present.stored?.hash ?? null;
  if (done === null && storedHash !== version.after && options.force !== true) throw movedOn(version, present);
  const key = options.key ?? done?.idempotency_key ?? derivedKey(source.workspaceId, eventId, principal.id, present);
  const { key: _key, force: _force, dryRun, leaseId, operationId, ...context } = options;
  const envelope = {
    workspace_id: source.workspaceId,
    idempotency_key: key,
    path: version.path,
    intent: `undo ${eventId}`,
    ...(dryRun === true ? { dry_run: true } : {}),
    ...(leaseId === undefined ? {} : { lease_id: leaseId }),
    ...(operationId === undefined ? {} : { operation_id: operationId }),
    ...(await changeBack(source, version, present, done)),
  };
  return source.kernel.execute(envelope, { ...context, ifMatch: storedHash, causationId: eventId, hostAction: 'undo' });
};

const presentOf = async ({ vfs, events, workspaceId }: HistorySource, path: string): Promise<Present> => {
  const stored = await vfs.read(path);
  const last = await events.lastRecorded(workspaceId, path);
  return { stored, last, lastEvent: last === null ? null : await events.findById(last.event_id) };
};

/**
 * The event that undid this one already, when asking again is a repetition: what it left still stands there, or the event under the caller's own key. The
 * same envelope under the same key then replays instead of being refused because the document moved on, by this very undo.
 */
const earlierUndo = async (
  { events, workspaceId }: HistorySource,
  { event, path }: DocumentVersion,
  { lastEvent, stored }: Present,
  principalId: string,
  key: string | undefined,
): Promise<CanonicalEvent | null> => {
  const found = key === undefined ? lastEvent : await events.findByIdempotencyKey(workspaceId, key);
  const isUndo =
    found !== null &&
    found.causation_id === event.event_id &&
    found.subject === path &&
    found.principal.id === principalId &&
    (key !== undefined || (found.idempotency_key.startsWith(keyPrefix) && found.after_hash === (stored?.hash ?? null)));
  return isUndo ? found : null;
};

/** What is asked for: the change back from the present, or for a repetition the change that was made then. */
const changeBack = async (source: UndoSource, version: DocumentVersion, present: Present, done: CanonicalEvent | null) => {
  const before = version.before === null ? null : await textBefore(source, version, version.before);
  if (done === null && before === null && present.stored === null)
    throw new VaultError('not_found', { path: version.path }, `'${version.path}' is gone already; there is nothing to take back.`);
  const then = done === null ? (present.stored?.bytes ?? null) : await bytesBefore(source, done);
  return planUndo(source.registry, version, before, then);
};

const textBefore = async (source: HistorySource, { path, event }: DocumentVersion, hash: string): Promise<string> => {
  const found = await findText(source, hash, path);
  if ('text' in found) return found.text;
  throw new VaultError('not_found', { path }, `The event '${event.event_id}' cannot be undone: ${found.missing}.`);
};

/** What an earlier undo found; that it may be missing by now matters for documents of append types only. */
const bytesBefore = async ({ contents }: HistorySource, { before_hash: hash }: CanonicalEvent): Promise<Uint8Array | null> =>
  hash === null ? null : contents.find(hash);

/** One key for one event undone in one state of its document, so that two who press the button at once undo it once. */
const derivedKey = (workspaceId: string, eventId: string, principalId: string, { stored, last }: Present): string => {
  const basis = [workspaceId, eventId, principalId, last?.event_id ?? null, stored?.hash ?? null];
  return `${keyPrefix}${hashContent(JSON.stringify(basis)).replace('sha256:', '')}`;
};

const movedOn = ({ event, path }: DocumentVersion, { stored, last, lastEvent }: Present): VaultError<'version_conflict'> => {
  const recorded = (last?.hash ?? null) === (stored?.hash ?? null);
  const by =
    recorded && lastEvent !== null
      ? `by the event '${lastEvent.event_id}' (${lastEvent.action} by ${lastEvent.principal.id}, ${lastEvent.timestamp})`
      : 'outside Sheaf; `sheaf diff` shows how';
  return new VaultError(
    'version_conflict',
    { path },
    `'${path}' has changed since the event '${event.event_id}', ${by}. Undo that first, or restore the earlier version over it by force (--force, in a call "force": true).`,
  );
};
