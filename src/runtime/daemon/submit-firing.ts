import type { CanonicalEvent } from '#adapter-contracts';
import { hashContent } from '#document';
import type { Cause } from '../planning/firing.ts';
import { type PlannedEnvelope, planFiring } from '../planning/plan-firing.ts';
import { firingDigest, readFiring } from '../records/firing-record.ts';
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
  /** The record of the firing, whose task is made later where it is not made yet; null when nothing is on record. */
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
  /** The record of the firing, or what stands under its key. */
  readonly eventId: string;

  constructor(message: string, eventId: string) {
    super(message);
    this.eventId = eventId;
  }
}

class Refused extends Error {
  override readonly name = 'Refused';
}

const mostSalts = 4;

/**
 * Records the firing and makes its task (§11.8 steps 3 and 4), each once for all daemons: under its key the first word stands. Where somebody else's
 * record holds a key or a path of the firing, it is made under a salted one and told, never counted as done.
 */
export const submitFiring = async (host: RuntimeHost, trigger: Trigger, cause: Cause, skip: string | null = null): Promise<Fired> => {
  let taken: Taken | null = null;
  for (let tries = 0; tries <= mostSalts; tries += 1) {
    try {
      const fired = await submitUnder(host, trigger, cause, { skip, salt: saltOf(tries, taken) });
      return taken === null ? fired : { ...fired, reason: [taken.message, fired.reason].filter(reason => reason !== null).join('; ') };
    } catch (error) {
      if (error instanceof Taken) taken = error;
      else if (error instanceof Refused) return failed(trigger, cause, error.message);
      else throw error;
    }
  }
  return { ...failed(trigger, cause, taken?.message ?? ''), eventId: taken?.eventId ?? null };
};

/** The last one follows from an event that nobody knows before it is there, so that nobody can take all places in advance. */
const saltOf = (tries: number, taken: Taken | null): string => {
  if (tries === 0 || taken === null) return '';
  return tries < mostSalts ? `s${tries}` : `s${hashContent(taken.eventId).slice('sha256:'.length, 'sha256:'.length + 12)}`;
};

export const failed = (trigger: Trigger, cause: Cause, reason: string): Fired => ({
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
  const made = settled.isNew ? null : await madeBefore(host, planned.event);
  if (made !== null) return { ...about, outcome: 'exists', taskPath: made, reason: null };
  const task = planned.task ?? planFiring(host.workspaceId, trigger, cause, { salt: options.salt }).task!;
  const causes = { correlationId, causationId: planned.causationId ?? settled.eventId };
  let isNew: boolean;
  try {
    isNew = await makeTask(host, task, causes, settled.eventId);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { ...about, outcome: 'failed', taskPath: null, reason: error.message };
  }
  return { ...about, outcome: isNew ? 'created' : 'exists', taskPath, reason: null };
};

/** The task of a firing as the log has it, wherever it was made: what had taken its place then may be gone now. */
const madeBefore = async (host: RuntimeHost, { idempotency_key: key }: PlannedEnvelope): Promise<string | null> =>
  host.projections.read(db => {
    const row = db
      .prepare('SELECT task_path AS path FROM runtime_firings WHERE digest = ? AND task_event_id IS NOT NULL')
      .get(firingDigest(key));
    return (row as { path: string } | undefined)?.path ?? null;
  });

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
  if (record === null)
    throw new Taken(`the key '${envelope.idempotency_key}' holds something else: event ${first.event_id}`, first.event_id);
  return { eventId: first.event_id, goesOn: record.taskPath !== null, isNew: false, reason: record.reason };
};

/** Whether the task is new; one that was made before, by whomever of the runtime, counts as made. */
const makeTask = async (host: RuntimeHost, envelope: PlannedEnvelope, causes: Causes, eventId: string): Promise<boolean> => {
  const response = await execute(host, envelope, causes, { ifMatch: null });
  if (response.success) return response.replay !== true;
  if (response.error.code === 'version_conflict' || response.error.code === 'validation_failed') {
    const made = await host.events.findByIdempotencyKey(host.workspaceId, envelope.idempotency_key);
    if (made !== null && isRuntimes(made)) return false;
    if ((await host.read(envelope.path)) !== null) throw new Taken(`another document stands at '${envelope.path}'`, eventId);
  }
  const first = await firstUnder(host, envelope, response);
  if (isRuntimes(first)) return false;
  throw new Taken(`the key '${envelope.idempotency_key}' holds something else: event ${first.event_id}`, eventId);
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
