import { type Document, isMap, sameValue, type Value } from '#document';
import { readSaved, scanBytes } from '#projections';
import { createMovedPaths, creditsOf, type FeedbackSample, feedbackBlock, feedbackOf } from '#semantic';
import { refusalReason, submitChange } from '../links/submit-change.ts';
import type { LinkWriter } from '../links/vault-links.ts';
import { isSelected } from '../path-selection.ts';
import type { MemorySource } from './memory-source.ts';
import type { RolledUp } from './vault-memory.ts';

/** See `VaultMemory.rollUp`. */
export const rollUpFeedback = async (
  source: MemorySource,
  paths: readonly string[] | null,
  writer: LinkWriter,
): Promise<readonly RolledUp[]> => {
  const samples = await samplesByDocument(source);
  const chosen = [...samples.keys()].filter(path => paths === null || paths.length === 0 || isSelected(path, paths)).sort();
  const rows: RolledUp[] = [];
  for (const path of chosen) rows.push(await rollUp(source, path, samples.get(path) ?? [], writer));
  return rows;
};

/** Every signal of the log, for the document it is about, where that is now, and for those that had a part in what it is about (§11.4). */
const samplesByDocument = async (source: MemorySource): Promise<ReadonlyMap<string, readonly FeedbackSample[]>> => {
  const moved = createMovedPaths();
  const given: NonNullable<ReturnType<typeof feedbackOf>>[] = [];
  for await (const { event } of source.events.replay({ workspaceId: source.workspaceId })) {
    moved.observe(event);
    const feedback = feedbackOf(event);
    if (feedback !== null) given.push(feedback);
  }
  const samples = new Map<string, FeedbackSample[]>();
  const add = (path: string, sample: FeedbackSample): void => {
    const known = samples.get(path);
    if (known === undefined) samples.set(path, [sample]);
    else known.push(sample);
  };
  const transcripts = new Map<string, ReturnType<typeof creditsOf>>();
  for (const { subject, score, timestamp, record } of given) {
    const path = moved.whereTo(subject) ?? subject;
    add(path, { score, timestamp });
    const credits = transcripts.get(path) ?? creditsOf((await transcriptBody(source, path)) ?? '');
    transcripts.set(path, credits);
    for (const credited of credits({ timestamp, record })) {
      const now = moved.whereTo(credited) ?? credited;
      if (now !== path) add(now, { score, timestamp });
    }
  }
  return samples;
};

/** The body of a document that only grows by appending; null for anything else, which has no records. */
const transcriptBody = async (source: MemorySource, path: string): Promise<string | null> => {
  const stored = await readDocument(source, path);
  const type = 'document' in stored ? stored.document.data.type : null;
  return 'document' in stored && typeof type === 'string' && source.registry.resolve(type)?.append_only === true
    ? stored.document.body
    : null;
};

/** The document at a path, or why there is none that can carry anything. */
const readDocument = async (
  source: MemorySource,
  path: string,
): Promise<{ readonly document: Document; readonly hash: string } | { readonly reason: string }> => {
  const stored = await readSaved(source, path);
  if ('reason' in stored) return { reason: stored.absent ? 'there is no document to carry it' : stored.reason };
  const scanned = scanBytes(path, stored);
  if (scanned.kind === 'reported') return { reason: scanned.report.reason };
  const { parsed, hash } = scanned;
  return parsed.kind === 'document' ? { document: parsed.document, hash } : { reason: 'there is no document to carry it' };
};

const rollUp = async (source: MemorySource, path: string, samples: readonly FeedbackSample[], writer: LinkWriter): Promise<RolledUp> => {
  const feedback = feedbackBlock(samples) as RolledUp['feedback'];
  const stored = await readDocument(source, path);
  if ('reason' in stored) return { path, outcome: 'absent', feedback, reason: stored.reason };
  const before = stored.document.data.feedback ?? null;
  if (isMap(before) && sameValue(before, { ...feedback } as unknown as Value)) return { path, outcome: 'unchanged', feedback };
  const response = await submitChange(source, writer, { type: 'patch', path, patches: { feedback }, ifMatch: stored.hash });
  if (!response.success) return { path, outcome: 'refused', feedback, reason: refusalReason(response) };
  if (response.dry_run) return { path, outcome: 'planned', feedback };
  return { path, outcome: 'patched', feedback, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
};
