import { z } from 'zod';

/** Shapes that the calls on links share. */

export const pathsShape = z.array(z.string().min(1)).optional();
export const flowShape = { dry_run: z.boolean().optional(), correlation_id: z.string().min(1).optional() };

const place = { line: z.number().int(), column: z.number().int() };

export const linkRowShape = z.object({
  ...place,
  kind: z.enum(['wiki', 'markdown', 'field']),
  target: z.string(),
  anchor: z.string().nullable(),
  label: z.string().nullable(),
  field: z.string().nullable(),
});

export const linkProblemShape = z.object({
  path: z.string(),
  ...place,
  fault: z.enum(['missing', 'ambiguous', 'wrong_case', 'missing_ending', 'missing_heading', 'reserved', 'private']),
  severity: z.enum(['error', 'warning']),
  target: z.string(),
  field: z.string().nullable(),
  message: z.string(),
  repair: z.string().nullable(),
});

const linkEditsShape = z.array(z.object({ line: z.number().int(), from: z.string(), to: z.string() })).readonly();

export const linkChangesShape = z
  .array(
    z.object({
      path: z.string(),
      outcome: z.enum(['changed', 'planned', 'refused', 'unchangeable']),
      edits: linkEditsShape,
      event_id: z.string().optional(),
      reason: z.string().optional(),
      diff: z.string().optional(),
    }),
  )
  .readonly();

export const mentionShape = z.object({ path: z.string(), ...place, text: z.string(), target: z.string() });

export const moveShape = z.object({
  from: z.string(),
  to: z.string(),
  dry_run: z.boolean(),
  complete: z.boolean(),
  correlation_id: z.string(),
  moves: z.array(z.object({ from: z.string(), to: z.string() })).readonly(),
  steps: z
    .array(
      z.object({
        step: z.enum(['create', 'rewrite', 'delete']),
        path: z.string(),
        outcome: z.enum(['planned', 'done', 'already', 'refused', 'left']),
        edits: linkEditsShape,
        event_id: z.string().optional(),
        reason: z.string().optional(),
      }),
    )
    .readonly(),
  kept: z.array(z.object({ path: z.string(), line: z.number().int(), target: z.string(), reason: z.string() })).readonly(),
  staying: z.array(z.object({ path: z.string(), reason: z.string() })).readonly(),
});

export const contentsShape = z
  .array(
    z.object({
      path: z.string(),
      outcome: z.enum(['created', 'replaced', 'unchanged', 'removed', 'planned', 'kept', 'refused']),
      event_id: z.string().optional(),
      reason: z.string().optional(),
    }),
  )
  .readonly();
