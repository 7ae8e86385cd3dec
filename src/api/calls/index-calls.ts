import { z } from 'zod';
import { defineCall } from '../call.ts';
import { authorizedCaller, surveyingCaller } from '../read-rights.ts';

const statusShape = z.object({
  id: z.string(),
  feed: z.enum(['documents', 'events']),
  version: z.string(),
  state: z.enum(['missing', 'stale', 'level']),
  cursor: z.string().nullable(),
  lag: z.number().int(),
  drifted: z.number().int().nullable(),
});

export const indexStatus = defineCall({
  name: 'index.status',
  summary: 'What is derived from vault and log: where each projection stands, and how much it has not seen.',
  input: z.strictObject({}),
  output: z.object({ projections: z.array(statusShape).readonly() }),
  handler: async (vault, caller) => {
    surveyingCaller(vault, caller, 'see the state of the index');
    return { projections: await vault.index.status() };
  },
});

export const rebuildIndex = defineCall({
  name: 'index.rebuild',
  summary: 'Forget one projection, or all, and build them from vault and log.',
  input: z.strictObject({ id: z.string().min(1).optional() }),
  output: z.object({ rebuilt: z.array(z.string()).readonly(), events: z.number().int(), files: z.number().int() }),
  handler: (vault, caller, { id }) => {
    authorizedCaller(vault, caller, 'admin:index', 'rebuild the index');
    return vault.index.rebuild(id);
  },
});

export const repairIndex = defineCall({
  name: 'index.repair',
  summary: 'Compare projections with vault and log, byte for byte, and mend what differs.',
  input: z.strictObject({}),
  output: z.object({
    repaired: z
      .array(z.object({ projection: z.string(), path: z.string(), held: z.string().nullable(), stored: z.string().nullable() }))
      .readonly(),
  }),
  handler: async (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:index', 'repair the index');
    return { repaired: await vault.index.repair() };
  },
});
