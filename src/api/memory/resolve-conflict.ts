import { VaultError } from '#errors';
import { scanVault } from '#projections';
import type { ConflictFacts } from '#semantic';
import { refusalOf, type Submission, submitChange } from '../links/submit-change.ts';
import type { LinkWriter } from '../links/vault-links.ts';
import { instantNow, type MemorySource, readMemories } from './memory-source.ts';
import type { ConflictResolution, Resolution, ResolutionStep } from './vault-memory.ts';

/**
 * See `VaultMemory.resolve`. The memory gives way first and the conflict ends last, so that an interrupted resolution leaves the conflict pending; making it
 * again finishes it.
 */
export const resolveConflict = async (
  source: MemorySource,
  named: string,
  keep: Resolution,
  writer: LinkWriter,
): Promise<ConflictResolution> => {
  const conflict = await findConflict(source, named);
  const now = instantNow(source);
  const [losing, kept] = keep === 'new' ? [conflict.existingSlug, conflict.newSlug] : [conflict.newSlug, conflict.existingSlug];
  refuseOtherResolution(conflict, keep);
  const loser = keep === 'both' ? null : await findMemory(source, losing);
  // Begun the other way round and interrupted: two memories that supersede each other would both be out of force.
  if (loser !== null && (await memoriesWith(source, kept)).some(memory => memory.supersededBy === losing))
    throw notAgain(conflict.conflictId, `'${kept}' has given way to '${losing}' already; keep that one, or take its change back first`);
  const changes: Submission[] = [];
  const done: ResolutionStep[] = [];
  if (loser !== null) {
    if (loser.status === 'superseded') done.push({ path: loser.path, outcome: 'already' });
    else changes.push({ type: 'patch', path: loser.path, patches: { status: 'superseded', superseded_by: kept }, ifMatch: loser.hash });
  }
  const { status, path, hash, conflictId } = conflict;
  if (status === 'resolved') done.push({ path, outcome: 'already' });
  else changes.push({ type: 'patch', path, patches: { status: 'resolved', resolution: keep, resolved_at: now }, ifMatch: hash });
  // Both are asked about before the first is made: what cannot be finished is not begun.
  for (const change of changes) {
    const rehearsed = await submitChange(source, { ...writer, dryRun: true }, change);
    if (!rehearsed.success) throw refusalOf(rehearsed, change.path, `resolving '${conflictId}'`);
  }
  const dryRun = writer.dryRun === true;
  let cause = writer.causationId;
  for (const change of dryRun ? [] : changes) {
    const response = await submitChange(source, { ...writer, ...(cause === undefined ? {} : { causationId: cause }) }, change);
    if (!response.success) throw refusalOf(response, change.path, `resolving '${conflictId}'`);
    cause = response.event_id ?? cause;
    done.push({ path: change.path, outcome: 'done', ...(response.event_id === undefined ? {} : { event_id: response.event_id }) });
  }
  const planned = dryRun ? changes.map((change): ResolutionStep => ({ path: change.path, outcome: 'planned' })) : [];
  return { conflict_id: conflictId, path, keep, dry_run: dryRun, steps: [...done, ...planned] };
};

const findConflict = async (source: MemorySource, named: string): Promise<ConflictFacts> => {
  const { conflicts } = await readMemories(source);
  const found = conflicts.filter(({ path, conflictId }) => path === named || conflictId === named);
  const [only] = found;
  if (only === undefined)
    throw new VaultError('not_found', { path: named }, `There is no conflict '${named}'; \`sheaf memory check\` lists them.`);
  if (found.length > 1) throw ambiguous('conflict', named, found);
  return only;
};

/** A conflict that ended one way is not ended another way: the memory that gave way then would not come back by it. */
const refuseOtherResolution = ({ conflictId, status, resolution }: ConflictFacts, keep: Resolution): void => {
  if (status !== 'resolved' || resolution === null || resolution === keep) return;
  throw notAgain(conflictId, `it was resolved by keeping '${resolution}' already; take that back first`);
};

const notAgain = (conflictId: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field: 'keep', issue }] }, `'${conflictId}' cannot be resolved like this: ${issue}.`);

/** The memory with a slug, also one that is out of force. */
const findMemory = async (source: MemorySource, slug: string) => {
  const found = await memoriesWith(source, slug);
  const [only] = found;
  if (only === undefined) throw new VaultError('not_found', { path: slug }, `There is no memory with the slug '${slug}'.`);
  if (found.length > 1) throw ambiguous('slug', slug, found);
  return only;
};

const memoriesWith = async (source: MemorySource, slug: string) => {
  const found: { readonly path: string; readonly hash: string; readonly status: string; readonly supersededBy: string | null }[] = [];
  for await (const scanned of scanVault(source)) {
    const data = scanned.kind === 'markdown' && scanned.parsed.kind === 'document' ? scanned.parsed.document.data : null;
    if (scanned.kind !== 'markdown' || data === null || data.slug !== slug || typeof data.type !== 'string') continue;
    if (source.registry.resolve(data.type)?.qualified !== 'ssss:memory') continue;
    const [status, by] = [data.status, data.superseded_by];
    const supersededBy = status === 'superseded' && typeof by === 'string' ? by : null;
    found.push({ path: scanned.path, hash: scanned.hash, status: typeof status === 'string' ? status : '', supersededBy });
  }
  return found;
};

const ambiguous = (what: string, name: string, found: readonly { readonly path: string }[]): VaultError<'invalid_request'> => {
  const issue = `the ${what} '${name}' stands in ${found.map(({ path }) => `'${path}'`).join(' and ')}; make it one`;
  return new VaultError('invalid_request', { issues: [{ field: 'conflict', issue }] }, `conflict: ${issue}.`);
};
