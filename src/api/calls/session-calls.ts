import { z } from 'zod';
import { defineCall, limitShape } from '../call.ts';
import { authorizedCaller } from '../read-rights.ts';

export const listSessionsCall = defineCall({
  name: 'event.sessions',
  summary: 'Sessions: the flows of the log by correlation, the one with the newest event first.',
  input: z.strictObject({ since: z.string().optional(), cursor: z.string().optional(), limit: limitShape }),
  output: z.object({
    sessions: z
      .array(
        z.object({
          correlation_id: z.string(),
          events: z.number().int(),
          first_at: z.string(),
          last_at: z.string(),
          actors: z.array(z.string()).readonly(),
          subjects: z.array(z.string()).readonly(),
        }),
      )
      .readonly(),
    cursor: z.string().nullable(),
  }),
  handler: (vault, caller, { since, cursor, limit }) => {
    authorizedCaller(vault, caller, 'read:event', 'read the event log');
    return vault.index.sessions({
      limit,
      ...(since === undefined ? {} : { since }),
      ...(cursor === undefined ? {} : { cursor }),
    });
  },
});
