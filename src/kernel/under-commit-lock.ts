import { reasonOf } from '#errors';
import { type Attempt, boundWorkspace, type Stage } from './attempt.ts';
import { eventIdForKey, newEventId } from './event-id.ts';
import { keepingRefusals } from './refusals.ts';

/**
 * Runs stages 9 and 10 under the path's commit lock, with a durable intent that lets recovery decide if the process dies between them (§6.3).
 * An `event` envelope writes no document, so it has nothing to lock and nothing to undo.
 */
export const underCommitLock =
  (...stages: readonly Stage[]): Stage =>
  async attempt => {
    const runStages = async (): Promise<undefined> => {
      for (const stage of stages) await stage(attempt);
    };
    const { envelope, kernel } = attempt;
    if (envelope.type === 'event') {
      attempt.eventId = eventIdForKey(envelope.workspace_id, envelope.idempotency_key);
      return runStages();
    }
    attempt.eventId = newEventId(kernel.clock.now());
    try {
      await keepingRefusals('The commit failed', () => withIntent(attempt, runStages));
    } catch (error) {
      if (attempt.event === null) throw error;
      // The event is in the log: a lock or an intent that could not be put away is recovery's business, not this envelope's (§6.3).
      attempt.lateWarnings.push(`commit: the commit intent could not be removed: ${reasonOf(error)}`);
    }
    return undefined;
  };

async function withIntent(attempt: Attempt, runStages: () => Promise<undefined>): Promise<void> {
  const { journal, resolve, note, recoverAgain } = boundWorkspace(attempt);
  const { envelope, current, change, eventId } = attempt;
  const intent = {
    workspace_id: envelope.workspace_id,
    path: envelope.path,
    event_id: eventId,
    prior: current?.bytes ?? null,
    prior_hash: current?.hash ?? null,
    intended_hash: change.afterHash,
  };
  const commit = async (scope: Parameters<Parameters<typeof journal.run>[2]>[0]): Promise<void> => {
    note(scope.resolved);
    const keepIntent = (): void => {
      scope.keepIntent();
      recoverAgain();
    };
    attempt.held = { intent, scope: { ...scope, keepIntent } };
    await runStages();
  };
  await journal.run(envelope.path, intent, commit, { resolve });
}
