import type { Principal } from '#adapter-contracts';
import type { LinkedDocument } from '#semantic';
import type { LinkSource } from './link-source.ts';
import type { MoveReport } from './vault-links.ts';

/**
 * The report of a move of one document that was made to its end before: asked for again, because an answer was lost, it is done and not refused. Null when
 * there is still something to move, or when the log tells of no such move.
 */
export const finishedMove = async (
  { events, workspaceId }: LinkSource,
  all: readonly LinkedDocument[],
  from: string,
  to: string,
  principal: Principal,
): Promise<MoveReport | null> => {
  if (from.endsWith('/') || all.some(({ path }) => path === from || path.startsWith(`${from}/`))) return null;
  const last = await events.lastRecorded(workspaceId, from);
  const removed = last === null ? null : await events.findById(last.event_id);
  const key = removed?.action === 'delete' ? /^(mv-[0-9a-f]{64})-delete$/.exec(removed.idempotency_key)?.[1] : undefined;
  if (removed === null || key === undefined || removed.principal.id !== principal.id) return null;
  const made = await events.findByIdempotencyKey(workspaceId, `${key}-create`);
  const goals = [to, `${to.replace(/\/+$/, '')}/${from.slice(from.lastIndexOf('/') + 1)}`];
  if (made === null || !goals.includes(made.subject) || !all.some(({ path }) => path === made.subject)) return null;
  return {
    from,
    to,
    dry_run: false,
    complete: true,
    correlation_id: made.correlation_id,
    moves: [{ from, to: made.subject }],
    steps: [
      { step: 'create', path: made.subject, outcome: 'already', edits: [], event_id: made.event_id },
      { step: 'delete', path: from, outcome: 'already', edits: [], event_id: removed.event_id },
    ],
    kept: [],
    staying: [],
  };
};
