import type { CanonicalEvent } from '#adapter-contracts';
import type { Cause } from '../planning/firing.ts';
import { type PlannedEnvelope, planFiring } from '../planning/plan-firing.ts';
import { readFiring } from '../records/firing-record.ts';
import { isRuntimes, runtimePrincipal } from '../runtime-principal.ts';
import type { Trigger } from '../triggers/trigger.ts';
import type { RuntimeHost } from './runtime-host.ts';

/** What became of a firing. */
export interface Fired {
  /** `exists`: the work was there already; `failed`: nothing is settled, so it is to be tried again. */
  readonly outcome: 'created' | 'skipped' | 'exists' | 'failed';
  readonly trigger: Trigger;
  readonly scheduledFor: string;
  readonly taskPath: string | null;
  readonly eventId: string | null;
  /** Why it was skipped or has failed, or what had taken the place of its work. */
  readonly reason: string | null;
}

interface Settled {
  readonly eventId: string;
  /** Null when the firing was skipped, whoever decided that first. */
  readonly goesOn: boolean;
  readonly isNew: boolean;
  readonly reason: string | null;
}

/** Something that is not the runtime's stands where a firing wants to write. */
class Taken extends Error {
  override readonly name = 'Taken';
}

class Refused extends Error {
  override readonly name = 'Refused';
}

const mostSalts = 3;

/**
 * Records the firing and makes its task (§11.8 steps 3 and 4), each once for all daemons: under its key the first word stands. Where somebody else's
 * record holds a key or a path of the firing, it is made under a salted one and told, never counted as done.
 */
export const submitFiring = async (host: RuntimeHost, trigger: Trigger, cause: Cause, skip: string | null = null): Promise<Fired> => {
  let taken: string | null = null;
  for (let salt = 0; salt <= mostSalts; salt += 1) {
    try {
      const fired = await submitUnder(host, trigger, cause, { skip, salt: salt === 0 ? '' : `s${salt}` });
      return taken === null ? fired : { ...fired, reason: fired.reason === null ? taken : `${taken}; ${fired.reason}` };
    } catch (error) {
      if (error instanceof Taken) taken = error.message;
      else if (error instanceof Refused) return failed(trigger, cause, error.message);
      else throw error;
    }
  }
  return failed(trigger, cause, taken ?? '');
};

const failed = (trigger: Trigger, cause: Cause, reason: string): Fired => ({
  outcome: 'failed',
  trigger,
  scheduledFor: cause.kind === 'event' ? cause.event.timestamp : new Date(cause.at).toISOString(),
  taskPath: null,
  eventId: null,
  reason,
});

const submitUnder = async (
  host: RuntimeHost,
  trigger: Trigger,
  cause: Cause,
  options: { readonly skip: string | null; readonly salt: string },
): Promise<Fired> => {
  const planned = planFiring(host.workspaceId, trigger, cause, options);
  const { correlationId, scheduledFor, taskPath } = planned;
  const settled = await recordFiring(host, planned.event, { correlationId, causationId: planned.causationId });
  const about = { trigger, scheduledFor, eventId: settled.eventId };
  if (!settled.goesOn) return { ...about, outcome: settled.isNew ? 'skipped' : 'exists', taskPath: null, reason: settled.reason };
  const task = planned.task ?? planFiring(host.workspaceId, trigger, cause, { salt: options.salt }).task!;
  const isNew = await makeTask(host, task, { correlationId, causationId: planned.causationId ?? settled.eventId });
  return { ...about, outcome: isNew ? 'created' : 'exists', taskPath, reason: null };
};

interface Causes {
  readonly correlationId: string;
  readonly causationId: string | null;
}

const recordFiring = async (host: RuntimeHost, envelope: PlannedEnvelope, causes: Causes): Promise<Settled> => {
  const response = await execute(host, envelope, causes);
  const skipped = envelope.content.startsWith('{"event_type":"workflow_skipped"');
  if (response.success && response.event_id !== undefined)
    return { eventId: response.event_id, goesOn: !skipped, isNew: response.replay !== true, reason: null };
  const first = await firstUnder(host, envelope, response);
  const record = readFiring(first);
  if (record === null) throw new Taken(`the key '${envelope.idempotency_key}' holds something else: event ${first.event_id}`);
  return { eventId: first.event_id, goesOn: record.taskPath !== null, isNew: false, reason: record.reason };
};

/** Whether the task is new; one that was made before, by whomever of the runtime, counts as made. */
const makeTask = async (host: RuntimeHost, envelope: PlannedEnvelope, causes: Causes): Promise<boolean> => {
  const response = await execute(host, envelope, causes, { ifMatch: null });
  if (response.success) return response.replay !== true;
  if (response.error.code === 'version_conflict' || response.error.code === 'validation_failed') {
    const made = await host.events.findByIdempotencyKey(host.workspaceId, envelope.idempotency_key);
    if (made !== null && isRuntimes(made)) return false;
    if ((await host.read(envelope.path)) !== null) throw new Taken(`another document stands at '${envelope.path}'`);
  }
  const first = await firstUnder(host, envelope, response);
  if (isRuntimes(first)) return false;
  throw new Taken(`the key '${envelope.idempotency_key}' holds something else: event ${first.event_id}`);
};

/** The event that took the key before; throws `Refused` for any other failure. */
const firstUnder = async (
  host: RuntimeHost,
  { idempotency_key: key }: PlannedEnvelope,
  response: Awaited<ReturnType<RuntimeHost['execute']>>,
): Promise<CanonicalEvent> => {
  if (response.success) throw new Refused(`the answer under '${key}' names no event`);
  const { code, message } = response.error;
  const first = code === 'idempotency_conflict' ? await host.events.findByIdempotencyKey(host.workspaceId, key) : null;
  if (first === null) throw new Refused(`${message} [${code}]`);
  return first;
};

const execute = (host: RuntimeHost, envelope: PlannedEnvelope, { correlationId, causationId }: Causes, more: { ifMatch?: null } = {}) =>
  host.execute(envelope, {
    principal: runtimePrincipal(host.workspaceId),
    correlationId,
    ...(causationId === null ? {} : { causationId }),
    ...more,
  });
