import { VaultError } from '#errors';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { RunStep } from '../executors/executor.ts';
import { endHeldRun } from './end-held-run.ts';
import { type Held, holderOf, letGo, readRunOf, readTaskAt, statusOf } from './held-task.ts';
import { reportStep } from './report-step.ts';
import type { Ending } from './run-ending.ts';
import type { Task } from './task.ts';

/** What whoever claimed a task presents with each report (§7). */
export interface ClaimTicket {
  readonly taskPath: string;
  readonly lease_id: string;
  readonly operation_id: string;
  readonly principal_id: string;
}

/** The claim behind a ticket. Throws `lease_conflict` when it is gone, or somebody else's. */
const claimOf = async (host: RuntimeHost, ticket: ClaimTicket): Promise<{ readonly held: Held; readonly task: Task }> => {
  const { taskPath } = ticket;
  const task = await readTaskAt(host, taskPath);
  const held: Held = { ...ticket, cause: null };
  await host.leases.verify(host.workspaceId, taskPath, holderOf(held));
  const run = await readRunOf(host, task);
  if (task.claimId !== ticket.lease_id || run === null) {
    throw new VaultError(
      'lease_conflict',
      { path: taskPath },
      `The lease '${ticket.lease_id}' is no claim on '${taskPath}': claim the task.`,
    );
  }
  const begun = await host.events.lastRecorded(host.workspaceId, run.path);
  const event = begun === null ? null : await host.events.findById(begun.event_id);
  const cause =
    event === null || event.causation_id === null ? null : { correlationId: event.correlation_id, causationId: event.causation_id };
  return { held: { ...held, cause }, task };
};

/** A step of a run that somebody outside works on; also keeps the claim alive. */
export const reportExternalStep = async (
  host: RuntimeHost,
  ticket: ClaimTicket,
  step: RunStep,
  { key, ttlSeconds }: { readonly key?: string | undefined; readonly ttlSeconds?: number | undefined },
): Promise<{ readonly runPath: string; readonly number: number; readonly expiresAt: string }> => {
  const { held, task } = await claimOf(host, ticket);
  const runPath = task.runPath!;
  const { number } = await reportStep(host, held, runPath, step, { key });
  const lease = await host.leases.renew(host.workspaceId, ticket.taskPath, holderOf(held), ttlSeconds);
  return { runPath, number, expiresAt: lease.expires_at };
};

/**
 * Ends a try that somebody outside worked on, and gives the claim back. Said again after it succeeded, it answers the same: the reply may have been
 * lost.
 */
export const finishExternally = async (host: RuntimeHost, ticket: ClaimTicket, ending: Ending): Promise<Task> => {
  const before = await readTaskAt(host, ticket.taskPath);
  if (before.claimId === ticket.lease_id && before.claimedAs === ticket.principal_id && before.status !== 'in_progress') {
    const run = await readRunOf(host, before);
    if (run !== null && endedAs(ending).includes(statusOf(run))) return before;
  }
  const { held, task } = await claimOf(host, ticket);
  const ended = await endHeldRun(host, held, task, ending);
  await letGo(host, held);
  return ended;
};

const endedAs = (ending: Ending): readonly string[] => {
  switch (ending.kind) {
    case 'failed':
      return ending.retry ? ['retrying', 'dead_letter'] : ['failed'];
    case 'interrupted':
      return [];
    default:
      return [ending.kind];
  }
};
