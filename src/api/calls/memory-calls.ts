import { z } from 'zod';
import { defineCall } from '../call.ts';
import { callerPrincipal, mayRead, requireCapabilities, surveyingCaller } from '../read-rights.ts';
import { refuseUnsafePath } from '../read-visible.ts';
import type { Vault } from '../vault.ts';
import { withoutHiddenText } from '../without-hidden-text.ts';
import { responseShape } from './envelope-submit.ts';
import { writerFor } from './link-calls.ts';
import { flowShape, pathsShape } from './link-shapes.ts';

const comparedShape = z.object({ path: z.string(), slug: z.string(), title: z.string(), status: z.string() });

/** Whoever compares memories reads them, and their conflicts. */
const memoryReader = (vault: Vault, caller: Parameters<typeof callerPrincipal>[1], what: string) => {
  const principal = callerPrincipal(vault, caller);
  const needed = ['ssss:memory', 'ssss:conflict'].filter(type => !mayRead(principal, vault.registry, type)).map(type => `${type}:read`);
  requireCapabilities(principal, needed, what);
  return principal;
};

export const checkMemory = defineCall({
  name: 'memory.check',
  summary: 'Pairs of memories that contradict or repeat each other; with record, a conflict document for each new one.',
  input: z.strictObject({ record: z.boolean().optional(), ...flowShape }),
  output: z.object({
    memories: z.number().int(),
    pairs: z
      .array(
        z.object({
          kind: z.enum(['contradiction', 'duplicate']),
          reason: z.enum(['opposed', 'different_object', 'same_statement', 'near_equal_text', 'similar_meaning']),
          similarity: z.number().nullable(),
          new: comparedShape,
          existing: comparedShape,
          conflict: z.string().nullable(),
          state: z.enum(['unrecorded', 'pending', 'resolved', 'recorded', 'reopened', 'planned', 'refused', 'same_slug']),
          event_id: z.string().optional(),
          note: z.string().optional(),
        }),
      )
      .readonly(),
    pending: z.array(z.object({ conflict_id: z.string(), path: z.string(), new_slug: z.string(), existing_slug: z.string() })).readonly(),
    meaning: z.string().nullable(),
  }),
  handler: (vault, caller, { record = false, ...flow }) => {
    const principal = memoryReader(vault, caller, 'compare memories');
    return vault.memory.check(record ? { record: writerFor(principal, flow) } : {});
  },
});

export const resolveMemory = defineCall({
  name: 'memory.resolve',
  summary: 'End a conflict of two memories: keep the new one, the existing one, or both.',
  input: z.strictObject({ conflict: z.string().min(1), keep: z.enum(['new', 'existing', 'both']), ...flowShape }),
  output: z.object({
    conflict_id: z.string(),
    path: z.string(),
    keep: z.enum(['new', 'existing', 'both']),
    dry_run: z.boolean(),
    steps: z
      .array(z.object({ path: z.string(), outcome: z.enum(['done', 'already', 'planned']), event_id: z.string().optional() }))
      .readonly(),
  }),
  handler: (vault, caller, { conflict, keep, ...flow }) => {
    const principal = memoryReader(vault, caller, 'resolve conflicts of memories');
    return vault.memory.resolve(conflict, keep, writerFor(principal, flow));
  },
});

export const giveFeedback = defineCall({
  name: 'feedback.give',
  summary: 'Record how good something was, from 0 (bad) to 1 (good), as an event.',
  input: z.strictObject({
    subject: z.string().min(1),
    score: z.number(),
    comment: z.string().optional(),
    /** The number of the turn or step that it is about. */
    record: z.number().int().min(1).optional(),
    idempotency_key: z.string().min(1).optional(),
    ...flowShape,
  }),
  output: responseShape,
  handler: async (vault, caller, { subject, score, comment, record, idempotency_key: key, ...flow }) => {
    const principal = callerPrincipal(vault, caller);
    const given = Object.entries({ comment, record, key }).filter(([, value]) => value !== undefined);
    const response = await vault.memory.feedback({ subject, score, ...Object.fromEntries(given) }, writerFor(principal, flow));
    return withoutHiddenText(vault.registry, caller.principal, { type: 'event', path: subject }, response);
  },
});

export const rollUpFeedback = defineCall({
  name: 'feedback.rollup',
  summary: 'Write the rollup of all feedback in the log into the documents it is about; each change is an envelope of the caller.',
  input: z.strictObject({ paths: pathsShape, ...flowShape }),
  output: z.object({
    documents: z
      .array(
        z.object({
          path: z.string(),
          outcome: z.enum(['patched', 'unchanged', 'planned', 'refused', 'absent']),
          feedback: z.object({
            score: z.number(),
            positive: z.number().int(),
            negative: z.number().int(),
            samples: z.number().int(),
            last_feedback: z.string(),
          }),
          event_id: z.string().optional(),
          reason: z.string().optional(),
        }),
      )
      .readonly(),
  }),
  handler: async (vault, caller, { paths, ...flow }) => {
    // Whose records credit whom is told by what was done, so only who sees all of them may have it done.
    const principal = surveyingCaller(vault, caller, 'roll up the feedback in the log');
    requireCapabilities(principal, ['read:event'], 'roll up the feedback in the log');
    for (const path of paths ?? []) refuseUnsafePath('paths', path.replace(/\/+$/, ''));
    return { documents: await vault.memory.rollUp(paths ?? null, writerFor(principal, flow)) };
  },
});
