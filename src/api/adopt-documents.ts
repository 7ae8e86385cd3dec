import type { Authorizer, Principal, Vfs } from '#adapter-contracts';
import type { FrontmatterMap } from '#document';
import { type Kernel, requestHash } from '#kernel';
import { type Adoption, adoptionEnvelope, type DriftRow, readStored, type ScanSource, scanFile, surveyDrift } from '#projections';
import type { Registry } from '#registry';
import type { AdoptionResult } from './adoption-result.ts';
import { createFileJudge } from './check-vault.ts';
import { typeOf } from './document-entry.ts';
import { governedTypes } from './governed-types.ts';
import { isSelected } from './path-selection.ts';
import type { AdoptOptions } from './vault.ts';

export interface AdoptionSource extends ScanSource {
  readonly vfs: Vfs;
  readonly registry: Registry;
  readonly kernel: Kernel;
  readonly authorizer: Authorizer;
}

/**
 * Accepts hand edits into the log: validates each drifted or untracked document and records one event per file, as the caller. The file itself is
 * never touched. A document that may not stand, or that the caller could not have written, is refused with its reason and stays drifted.
 */
export const adoptDocuments = async (
  source: AdoptionSource,
  paths: readonly string[] | null,
  principal: Principal,
  options: AdoptOptions = {},
): Promise<readonly AdoptionResult[]> => {
  const { rows } = await surveyDrift(source);
  const chosen = rows.filter(row => paths === null || isSelected(row.path, paths));
  const results = await adoptRows(source, chosen, principal, options);
  const untouched = (paths ?? []).filter(path => !rows.some(row => isSelected(row.path, [path])));
  return [...results, ...(await Promise.all(untouched.map(path => levelOrNowhere(source, path))))];
};

/** Adopts what a survey has found; see `adoptDocuments`. */
export const adoptRows = async (
  source: AdoptionSource,
  rows: readonly DriftRow[],
  principal: Principal,
  options: AdoptOptions = {},
): Promise<readonly AdoptionResult[]> => {
  const results: AdoptionResult[] = [];
  for (let from = 0; from < rows.length; from += atOnce) {
    const batch = rows.slice(from, from + atOnce);
    results.push(...(await Promise.all(batch.map(row => adoptRow(source, row, principal, options)))));
  }
  return results;
};

/** A path without a row is level with the log, or it is misspelt; the second must not look like the first. */
const levelOrNowhere = async (source: AdoptionSource, path: string): Promise<AdoptionResult> => {
  const isDirectory = async () => {
    for await (const _ of source.vfs.list(path)) return true;
    return false;
  };
  try {
    const recorded = await source.events.lastRecorded(source.workspaceId, path);
    if (recorded !== null || (await isDirectory()) || (await source.vfs.read(path)) !== null)
      return { path, outcome: 'unchanged', action: null };
  } catch {
    // An unsafe path names nothing in the vault either.
  }
  return { path, outcome: 'refused', action: null, reason: 'no such file or directory in the vault' };
};

/** Adoptions of different paths do not depend on each other, and a store commits many at once for the price of one. */
const atOnce = 64;

/** What the log would record of a file as it stands, or why it cannot. */
type Recordable =
  | { readonly primitiveId: string; readonly hash: string | null; readonly proposed: FrontmatterMap | null }
  | Pick<AdoptionResult, 'reason' | 'problems'>;

const adoptRow = async (source: AdoptionSource, row: DriftRow, principal: Principal, options: AdoptOptions): Promise<AdoptionResult> => {
  const { path, change: action } = row;
  if (action === null) return { path, outcome: 'refused', action, reason: row.reason };
  const found = action === 'delete' ? await recordableDeletion(source, path) : await recordableFile(source, path);
  if (!('primitiveId' in found)) return { path, outcome: 'refused', action, ...found };
  const { primitiveId, hash, proposed } = found;
  const adoption = { workspaceId: source.workspaceId, path, action, primitiveId, beforeHash: row.recorded_hash, afterHash: hash };
  const confirmed = options.confirmed?.includes(path) === true;
  const before = action === 'replace' ? await recordedType(source, path) : null;
  // No envelope changes a type, so such an edit is two changes: what stood there is gone, and something else is new.
  const isOther = before !== null && before !== primitiveId;
  const refusal =
    (isOther ? await refusedWrite(source, { ...adoption, action: 'delete', primitiveId: before }, null, principal, confirmed) : null) ??
    (await refusedWrite(source, adoption, proposed, principal, confirmed));
  return refusal === null ? record(source, adoption, principal, options) : { path, action, ...refusal };
};

type RowAdoption = Adoption & { readonly action: NonNullable<DriftRow['change']> };

/**
 * Why the principal could not have made the change through an envelope, or null. An adoption is judged as the write it stands for: otherwise
 * whoever can edit the files would slip every floor, and could accept a role that grants more than they hold (readings: hand edits, roles).
 */
const refusedWrite = async (
  source: AdoptionSource,
  adoption: RowAdoption,
  proposed: FrontmatterMap | null,
  principal: Principal,
  confirmed: boolean,
): Promise<Pick<AdoptionResult, 'outcome' | 'reason'> | null> => {
  const { path, action, primitiveId } = adoption;
  const hash = requestHash(adoptionEnvelope(adoption), principal.id);
  const ask = (confirmation: { readonly confirmation?: string }) =>
    source.authorizer.authorize({
      principal,
      workspaceId: source.workspaceId,
      definition: source.registry.resolve(primitiveId),
      primitiveId,
      action,
      path,
      // The adoption's own key is the host's; the write it stands for never had one.
      idempotencyKey: hash,
      requestHash: hash,
      proposed,
      payload: null,
      ...confirmation,
    });
  const verdict = await ask({ confirmation: hash });
  if (verdict.allowed !== true) return { outcome: 'refused', reason: verdict.reason ?? `'${principal.id}' may not ${action} it` };
  const governed = governedTypes.has(primitiveId);
  if (governed && principal.kind !== 'human')
    return { outcome: 'refused', reason: `only a person may accept a hand edit of a ${primitiveId}` };
  if (confirmed) return null;
  if (governed)
    return { outcome: 'needs_confirmation', reason: `a ${primitiveId} decides about rights: look at it, then name it as confirmed` };
  if ((await ask({})).allowed === true) return null;
  return { outcome: 'needs_confirmation', reason: 'the policy wants this change confirmed: look at it, then name it as confirmed' };
};

const noType = { reason: 'it has no frontmatter with a known type, so the log has nothing to record about it' };

const recordableFile = async (source: AdoptionSource, path: string): Promise<Recordable> => {
  const scanned = await scanFile(source, { path, kind: 'file' });
  if (scanned.kind === 'reported') return { reason: scanned.report.reason };
  const { errors } = await createFileJudge(source, source.registry)(path, scanned.parsed);
  if (errors.length > 0) return { reason: 'the document is not valid: mend it first', problems: errors };
  const primitiveId = typeOf(path, scanned.parsed, source.registry);
  if (primitiveId === null) return noType;
  return { primitiveId, hash: scanned.hash, proposed: scanned.parsed.kind === 'document' ? scanned.parsed.document.data : null };
};

/** A deleted file says nothing any more; the log's last word about it does. */
const recordableDeletion = async (source: AdoptionSource, path: string): Promise<Recordable> => {
  const stored = await readStored(source.vfs, path);
  if ('hash' in stored) return { reason: 'it is there again: look at the status once more' };
  if (!stored.absent) return { reason: stored.reason };
  const primitiveId = await recordedType(source, path);
  return primitiveId === null ? noType : { primitiveId, hash: null, proposed: null };
};

/** The type that the log last recorded at a path. */
const recordedType = async (source: AdoptionSource, path: string): Promise<string | null> => {
  const last = await source.events.lastRecorded(source.workspaceId, path);
  const event = last === null ? null : await source.events.findById(last.event_id);
  if (event === null || last?.adopted !== true) return event?.primitive_id ?? null;
  const { payload } = event;
  const said = typeof payload === 'object' && payload !== null && 'primitive_id' in payload ? payload.primitive_id : null;
  return typeof said === 'string' ? said : null;
};

const record = async (
  source: AdoptionSource,
  adoption: RowAdoption,
  principal: Principal,
  options: AdoptOptions,
): Promise<AdoptionResult> => {
  const { path, action } = adoption;
  const execute = (envelope: ReturnType<typeof adoptionEnvelope>) =>
    source.kernel.execute(envelope, {
      principal,
      hostAction: 'adopt',
      ...(options.confirmed?.includes(path) === true ? { confirmation: requestHash(envelope, principal.id) } : {}),
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
    });
  let response = await execute(adoptionEnvelope(adoption));
  const last = await source.events.lastRecorded(source.workspaceId, path);
  // The same change was adopted before and undone since; its old event is not the last word, so this one needs a key of its own.
  if (last !== null && last.hash !== adoption.afterHash && (!response.success || response.replay === true)) {
    response = await execute(adoptionEnvelope({ ...adoption, after: last.event_id }));
  }
  // Another process has adopted the same edit meanwhile.
  if (!response.success && last?.hash === adoption.afterHash && last.adopted) return { path, outcome: 'unchanged', action };
  if (!response.success)
    return { path, outcome: 'refused', action, reason: response.error.message, problems: response.repair.field_errors };
  return { path, outcome: 'adopted', action, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
};
