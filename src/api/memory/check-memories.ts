import { reasonOf } from '#errors';
import {
  byPaths,
  type ConflictFacts,
  compareMemories,
  conflictDocument,
  conflictFields,
  type MemoryFacts,
  type MemoryFinding,
  pairKey,
  similarMemories,
} from '#semantic';
import { refusalReason, submitChange } from '../links/submit-change.ts';
import type { LinkWriter } from '../links/vault-links.ts';
import { instantNow, type MemorySource, readMemories } from './memory-source.ts';
import type { ComparedMemory, MemoryPair, MemoryReport } from './vault-memory.ts';

/** See `VaultMemory.check`. */
export const checkMemories = async (
  source: MemorySource,
  options: { readonly record?: LinkWriter; readonly mayRead?: (type: string | null) => boolean } = {},
): Promise<MemoryReport> => {
  const { memories, conflicts } = await readMemories(source);
  const { findings, meaning } = await allFindings(source, memories);
  // Several may speak of one pair, when a resolved one was copied; a pending one counts.
  const byPair = new Map<string, ConflictFacts>();
  for (const conflict of conflicts) {
    const key = pairKey(conflict.newSlug, conflict.existingSlug);
    if (byPair.get(key)?.status !== 'pending') byPair.set(key, conflict);
  }
  const showsConflicts = options.mayRead?.('ssss:conflict') ?? true;
  const pairs: MemoryPair[] = [];
  for (const finding of findings) {
    const known = byPair.get(pairKey(finding.new.slug, finding.existing.slug)) ?? null;
    const pair = await judge(source, finding, known, options.record);
    pairs.push(showsConflicts ? pair : { ...pair, conflict: null, state: 'unrecorded' });
  }
  return { memories: memories.length, pairs, pending: showsConflicts ? await pendingConflicts(source) : [], meaning };
};

/** Read anew, because some may just have been recorded. */
const pendingConflicts = async (source: MemorySource): Promise<MemoryReport['pending']> =>
  (await readMemories(source)).conflicts
    .filter(({ status }) => status === 'pending')
    .map(({ conflictId, path, newSlug, existingSlug }) => ({
      conflict_id: conflictId,
      path,
      new_slug: newSlug,
      existing_slug: existingSlug,
    }));

const allFindings = async (source: MemorySource, memories: readonly MemoryFacts[]) => {
  const findings = compareMemories(memories);
  if (source.lane === null) return { findings, meaning: null };
  const known = new Set(findings.map(pathsKey));
  try {
    const similar = (await similarMemories(memories, source.lane)).filter(finding => !known.has(pathsKey(finding)));
    return { findings: [...findings, ...similar].sort(byPaths), meaning: null };
  } catch (error) {
    return { findings, meaning: reasonOf(error) };
  }
};

const pathsKey = ({ existing, new: newer }: MemoryFinding): string => pairKey(existing.path, newer.path);

const judge = async (
  source: MemorySource,
  finding: MemoryFinding,
  known: ConflictFacts | null,
  writer: LinkWriter | undefined,
): Promise<MemoryPair> => {
  const { kind, reason, similarity, new: newer, existing } = finding;
  const pair = { kind, reason, similarity, new: compared(newer), existing: compared(existing), conflict: known?.path ?? null };
  if (newer.slug === existing.slug) return { ...pair, state: 'same_slug', note: 'both have this slug: give one of them another' };
  if (known?.status === 'pending') return { ...pair, state: 'pending' };
  if (known !== null && !saysMore(finding, known)) return { ...pair, state: 'resolved' };
  if (writer === undefined) return { ...pair, state: 'unrecorded' };
  return { ...pair, ...(await record(source, finding, known, writer)) };
};

const compared = ({ path, slug, title, status }: MemoryFacts): ComparedMemory => ({ path, slug, title, status });

/** Whether one of the two says something else than when their conflict was resolved. What a person recorded by hand holds no meanings and stays resolved. */
const saysMore = ({ new: newer, existing }: MemoryFinding, { meanings }: ConflictFacts): boolean =>
  [newer, existing].some(({ slug, meaning }) => meanings.has(slug) && meanings.get(slug) !== meaning);

const record = async (source: MemorySource, finding: MemoryFinding, known: ConflictFacts | null, writer: LinkWriter) => {
  const now = instantNow(source);
  const made = conflictDocument(finding, now);
  const response =
    known === null
      ? await submitChange(source, writer, { type: 'operation', path: made.path, content: made.text, ifMatch: null })
      : await submitChange(source, writer, {
          type: 'patch',
          path: known.path,
          patches: { ...conflictFields(finding, now), timestamp: now },
          ifMatch: known.hash,
        });
  const conflict = known?.path ?? made.path;
  if (!response.success) return { state: 'refused' as const, note: refusalReason(response) };
  if (response.dry_run) return { conflict, state: 'planned' as const };
  const state = known === null ? ('recorded' as const) : ('reopened' as const);
  return { conflict, state, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
};
