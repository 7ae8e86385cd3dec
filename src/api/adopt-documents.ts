import type { Principal, Vfs } from '#adapter-contracts';
import type { Kernel } from '#kernel';
import { requiredCapabilities } from '#policy';
import { type Adoption, adoptionEnvelope, type DriftRow, readStored, type ScanSource, scanFile, surveyDrift } from '#projections';
import type { Registry } from '#registry';
import { createFileJudge } from './check-vault.ts';
import { typeOf } from './document-entry.ts';
import { governedTypes } from './governed-types.ts';
import { isSelected } from './path-selection.ts';
import { lacking } from './read-rights.ts';
import type { AdoptionResult, AdoptOptions } from './vault.ts';

interface AdoptionSource extends ScanSource {
  readonly vfs: Vfs;
  readonly registry: Registry;
  readonly kernel: Kernel;
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
  const results: AdoptionResult[] = [];
  const chosen = rows.filter(row => paths === null || isSelected(row.path, paths));
  for (let from = 0; from < chosen.length; from += atOnce) {
    const batch = chosen.slice(from, from + atOnce);
    results.push(...(await Promise.all(batch.map(row => adoptRow(source, row, principal, options)))));
  }
  const untouched = (paths ?? []).filter(path => !rows.some(row => isSelected(row.path, [path])));
  return [...results, ...untouched.map(path => ({ path, outcome: 'unchanged' as const, action: null }))];
};

/** Adoptions of different paths do not depend on each other, and a store commits many at once for the price of one. */
const atOnce = 64;

/** What the log would record of a file as it stands, or why it cannot. */
type Recordable = { readonly primitiveId: string; readonly hash: string | null } | Pick<AdoptionResult, 'reason' | 'problems'>;

const adoptRow = async (source: AdoptionSource, row: DriftRow, principal: Principal, options: AdoptOptions): Promise<AdoptionResult> => {
  const { path, change: action } = row;
  if (action === null) return { path, outcome: 'refused', action, reason: row.reason };
  const found = action === 'delete' ? await recordableDeletion(source, path) : await recordableFile(source, path);
  if (!('primitiveId' in found)) return { path, outcome: 'refused', action, ...found };
  const { primitiveId, hash } = found;
  const missing = lacking(principal, requiredCapabilities(source.registry.resolve(primitiveId), primitiveId, action));
  if (missing.length > 0) {
    return { path, outcome: 'refused', action, reason: `'${principal.id}' may not ${action} it: lacks ${missing.join(', ')}` };
  }
  if (governedTypes.has(primitiveId)) {
    if (principal.kind !== 'human')
      return { path, outcome: 'refused', action, reason: `only a person may accept a hand edit of a ${primitiveId}` };
    if (options.confirmed?.includes(path) !== true) {
      return {
        path,
        outcome: 'needs_confirmation',
        action,
        reason: `a ${primitiveId} decides about rights: look at it, then name it as confirmed`,
      };
    }
  }
  return record(
    source,
    { workspaceId: source.workspaceId, path, action, primitiveId, beforeHash: row.recorded_hash, afterHash: hash },
    principal,
    options,
  );
};

const noType = { reason: 'it has no frontmatter with a known type, so the log has nothing to record about it' };

const recordableFile = async (source: AdoptionSource, path: string): Promise<Recordable> => {
  const scanned = await scanFile(source, { path, kind: 'file' });
  if (scanned.kind === 'reported') return { reason: scanned.report.reason };
  const { errors } = await createFileJudge(source, source.registry)(path, scanned.parsed);
  if (errors.length > 0) return { reason: 'the document is not valid: mend it first', problems: errors };
  const primitiveId = typeOf(path, scanned.parsed, source.registry);
  return primitiveId === null ? noType : { primitiveId, hash: scanned.hash };
};

/** A deleted file says nothing any more; the log's last word about it does. */
const recordableDeletion = async (source: AdoptionSource, path: string): Promise<Recordable> => {
  const stored = await readStored(source.vfs, path);
  if ('hash' in stored) return { reason: 'it is there again: look at the status once more' };
  if (!stored.absent) return { reason: stored.reason };
  const last = await source.events.lastRecorded(source.workspaceId, path);
  const event = last === null ? null : await source.events.findById(last.event_id);
  if (event === null || last?.adopted !== true) return event === null ? noType : { primitiveId: event.primitive_id, hash: null };
  const { payload } = event;
  const said = typeof payload === 'object' && payload !== null && 'primitive_id' in payload ? payload.primitive_id : null;
  return typeof said === 'string' ? { primitiveId: said, hash: null } : noType;
};

const record = async (
  source: AdoptionSource,
  adoption: Adoption & { readonly action: NonNullable<DriftRow['change']> },
  principal: Principal,
  options: AdoptOptions,
): Promise<AdoptionResult> => {
  const { path, action } = adoption;
  const context = {
    principal,
    hostAction: 'adopt' as const,
    ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
  };
  let response = await source.kernel.execute(adoptionEnvelope(adoption), context);
  const last = await source.events.lastRecorded(source.workspaceId, path);
  // The same change was adopted before and undone since; its old event is not the last word, so this one needs a key of its own.
  if (last !== null && last.hash !== adoption.afterHash && (!response.success || response.replay === true)) {
    response = await source.kernel.execute(adoptionEnvelope({ ...adoption, after: last.event_id }), context);
  }
  if (!response.success)
    return { path, outcome: 'refused', action, reason: response.error.message, problems: response.repair.field_errors };
  return { path, outcome: 'adopted', action, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
};
