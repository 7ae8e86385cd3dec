import type { Principal, Vfs } from '#adapter-contracts';
import { isIndexPath, type ParsedFile } from '#document';
import type { Kernel } from '#kernel';
import { requiredCapabilities } from '#policy';
import { type Adoption, adoptionEnvelope, type DriftRow, type ScanSource, scanFile, surveyDrift } from '#projections';
import type { Registry } from '#registry';
import { checkVault } from './check-vault.ts';
import { typeOf } from './document-entry.ts';
import { governedTypes } from './governed-types.ts';
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
  const chosen = rows.filter(row => paths === null || paths.some(path => covers(path, row.path)));
  for (const row of chosen) results.push(await adoptRow(source, row, principal, options));
  const untouched = (paths ?? []).filter(path => !rows.some(row => covers(path, row.path)));
  return [...results, ...untouched.map(path => ({ path, outcome: 'unchanged' as const, action: null }))];
};

const covers = (chosen: string, path: string): boolean => path === chosen || path.startsWith(chosen.endsWith('/') ? chosen : `${chosen}/`);

const adoptRow = async (source: AdoptionSource, row: DriftRow, principal: Principal, options: AdoptOptions): Promise<AdoptionResult> => {
  const { path, change: action } = row;
  const refuse = (reason: string): AdoptionResult => ({ path, outcome: 'refused', action, reason });
  if (action === null) return refuse(row.reason);
  if (action !== 'delete') {
    const { problems } = await checkVault(source, source.registry, [path]);
    if (problems.length > 0)
      return { ...refuse('the document is not valid: mend it first'), problems: problems.map(({ path: _path, ...issue }) => issue) };
  }
  const primitiveId = action === 'delete' ? await recordedType(source, path) : await storedType(source, path);
  if (primitiveId === null) return refuse('it has no frontmatter with a known type, so the log has nothing to record about it');
  const missing = lacking(principal, requiredCapabilities(source.registry.resolve(primitiveId), primitiveId, action));
  if (missing.length > 0) return refuse(`'${principal.id}' may not ${action} it: lacks ${missing.join(', ')}`);
  if (governedTypes.has(primitiveId)) {
    if (principal.kind !== 'human') return refuse(`only a person may accept a hand edit of a ${primitiveId}`);
    if (options.confirmed?.includes(path) !== true) {
      return {
        path,
        outcome: 'needs_confirmation',
        action,
        reason: `a ${primitiveId} decides about rights: look at it, then name it as confirmed`,
      };
    }
  }
  return record(source, row, { action, primitiveId }, principal, options);
};

const storedType = async (source: AdoptionSource, path: string): Promise<string | null> => {
  const scanned = await scanFile(source, { path, kind: 'file' });
  return scanned.kind === 'markdown' ? documentType(path, scanned.parsed, source.registry) : null;
};

const documentType = (path: string, parsed: ParsedFile, registry: Registry): string | null =>
  isIndexPath(path) || parsed.kind === 'document' ? typeOf(path, parsed, registry) : null;

/** A deleted file says nothing any more; the log's last word about it does. */
const recordedType = async (source: AdoptionSource, path: string): Promise<string | null> => {
  const last = await source.events.lastRecorded(source.workspaceId, path);
  const event = last === null ? null : await source.events.findById(last.event_id);
  if (event === null) return null;
  if (last?.adopted !== true) return event.primitive_id;
  const { payload } = event;
  return typeof payload === 'object' && payload !== null && 'primitive_id' in payload && typeof payload.primitive_id === 'string'
    ? payload.primitive_id
    : null;
};

const record = async (
  source: AdoptionSource,
  row: DriftRow,
  what: Pick<Adoption, 'action' | 'primitiveId'>,
  principal: Principal,
  options: AdoptOptions,
): Promise<AdoptionResult> => {
  const { path } = row;
  const adoption: Adoption = { workspaceId: source.workspaceId, path, ...what, beforeHash: row.recorded_hash, afterHash: row.stored_hash };
  const context = {
    principal,
    hostAction: 'adopt' as const,
    ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
  };
  let response = await source.kernel.execute(adoptionEnvelope(adoption), context);
  const last = await source.events.lastRecorded(source.workspaceId, path);
  // The same change was adopted before and undone since; its old event is not the last word, so this one needs a key of its own.
  if (last !== null && last.hash !== row.stored_hash && (!response.success || response.replay === true)) {
    response = await source.kernel.execute(adoptionEnvelope({ ...adoption, after: last.event_id }), context);
  }
  if (!response.success)
    return { path, outcome: 'refused', action: what.action, reason: response.error.message, problems: response.repair.field_errors };
  return { path, outcome: 'adopted', action: what.action, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
};
