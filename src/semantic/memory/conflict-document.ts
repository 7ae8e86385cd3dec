import { createDocument, hashContent, type ParsedFile } from '#document';
import type { Registry } from '#registry';
import type { MemoryFinding } from './compare-memories.ts';

/** A stored `conflict` document (§5.4). */
export interface ConflictFacts {
  readonly path: string;
  readonly hash: string;
  readonly conflictId: string;
  readonly status: 'pending' | 'resolved';
  readonly newSlug: string;
  readonly existingSlug: string;
  /** Which one was kept, as the document says; null while it says nothing. */
  readonly resolution: string | null;
  /** What the two memories said when the conflict was recorded, by slug; empty where a person wrote it. */
  readonly meanings: ReadonlyMap<string, string>;
}

/** The facts of a conflict document; null for anything else. */
export const conflictFacts = (path: string, hash: string, parsed: ParsedFile, registry: Registry): ConflictFacts | null => {
  const data = parsed.kind === 'document' ? parsed.document.data : null;
  if (typeof data?.type !== 'string' || registry.resolve(data.type)?.qualified !== 'ssss:conflict') return null;
  const {
    conflict_id: conflictId,
    status,
    new_slug: newSlug,
    existing_slug: existingSlug,
    x_new_meaning: one,
    x_existing_meaning: other,
    resolution,
  } = data;
  if (typeof conflictId !== 'string' || typeof newSlug !== 'string' || typeof existingSlug !== 'string') return null;
  if (status !== 'pending' && status !== 'resolved') return null;
  const meanings = new Map<string, string>();
  if (typeof one === 'string') meanings.set(newSlug, one);
  if (typeof other === 'string') meanings.set(existingSlug, other);
  const kept = typeof resolution === 'string' ? resolution : null;
  return { path, hash, conflictId, status, newSlug, existingSlug, resolution: kept, meanings };
};

/** One key for a pair of memories, whichever is the newer. */
export const pairKey = (one: string, other: string): string => JSON.stringify([one, other].sort());

/** What the conflict of a finding records beside its universal fields; also what reopens one. */
export const conflictFields = ({ kind, reason, existing, new: newer }: MemoryFinding, now: string) => ({
  status: 'pending',
  new_slug: newer.slug,
  existing_slug: existing.slug,
  detected_at: now,
  x_kind: kind,
  x_reason: reason,
  x_new_meaning: newer.meaning,
  x_existing_meaning: existing.meaning,
});

/** The conflict document of a finding: id and path follow from the pair, so that two who find it at once make one document. */
export const conflictDocument = (
  finding: MemoryFinding,
  now: string,
): { readonly path: string; readonly conflictId: string; readonly text: string } => {
  const { existing, new: newer, kind } = finding;
  const conflictId = `conflict-${dateOf(newer.timestamp)}-${digits(pairKey(existing.slug, newer.slug))}`;
  const what = kind === 'duplicate' ? 'repeats' : 'contradicts';
  const fields = {
    type: 'conflict',
    title: `${newer.title || newer.slug} / ${existing.title || existing.slug}`,
    description: `The memory '${newer.slug}' ${what} '${existing.slug}'.`,
    timestamp: now,
    conflict_id: conflictId,
    ...conflictFields(finding, now),
  };
  const body = `\n- [[/${newer.path.replace(/\.md$/, '')}]]\n- [[/${existing.path.replace(/\.md$/, '')}]]\n`;
  return { path: `conflicts/${conflictId}.md`, conflictId, text: createDocument(fields, body) };
};

const dateOf = (timestamp: string): string => /^\d{4}-\d{2}-\d{2}/.exec(timestamp)?.[0] ?? '1970-01-01';

/** Twelve digits, because the ids of conflicts end in digits (§13). */
const digits = (text: string): string =>
  (BigInt(`0x${hashContent(text).slice('sha256:'.length, 'sha256:'.length + 12)}`) % 10n ** 12n).toString().padStart(12, '0');
