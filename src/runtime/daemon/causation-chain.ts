import type { CanonicalEvent } from '#adapter-contracts';
import { firingDigest, readFiring } from '../records/firing-record.ts';
import { isRuntimes } from '../runtime-principal.ts';
import type { RuntimeHost } from './runtime-host.ts';

/** Links from a cause back to what caused it; work behind more than this is no work anybody meant. */
export const deepestChain = 16;

/** What stands behind an event: the triggers whose work it follows from, and whether the chain is longer than anybody may make it. */
export interface CausationChain {
  /** `JSON [workflow id, trigger id]` of each. */
  readonly triggers: ReadonlySet<string>;
  readonly tooDeep: boolean;
}

export const triggerKey = (workflowId: string, triggerId: string): string => JSON.stringify([workflowId, triggerId]);

const remembered = 5000;

/**
 * Follows `causation_id` backward (§8.3). A trigger never fires on what its own work caused: neither on its tasks and what runs of them wrote, nor on the
 * record of its own firing (readings: event loops).
 */
export const createChainReader = (host: RuntimeHost): ((event: CanonicalEvent) => Promise<CausationChain>) => {
  const parents = new Map<string, { readonly cause: string | null; readonly trigger: string | null }>();
  const linkOf = async (event: CanonicalEvent) => {
    const known = parents.get(event.event_id);
    if (known !== undefined) return known;
    const link = { cause: event.causation_id, trigger: await triggerOf(host, event) };
    if (parents.size >= remembered) parents.clear();
    parents.set(event.event_id, link);
    return link;
  };
  return async event => {
    const triggers = new Set<string>();
    let [id, at]: [string, CanonicalEvent | null] = [event.event_id, event];
    for (let depth = 0; ; depth += 1) {
      const known = parents.get(id) ?? (at === null ? null : await linkOf(at));
      if (known === null) return { triggers, tooDeep: false };
      if (known.trigger !== null) triggers.add(known.trigger);
      if (known.cause === null) return { triggers, tooDeep: false };
      if (depth === deepestChain) return { triggers, tooDeep: true };
      id = known.cause;
      at = parents.has(id) ? null : await host.events.findById(id);
    }
  };
};

/** The trigger whose firing or task an event records. */
const triggerOf = async (host: RuntimeHost, event: CanonicalEvent): Promise<string | null> => {
  const firing = readFiring(event);
  if (firing !== null) return triggerKey(firing.workflowId, firing.triggerId);
  if (!isRuntimes(event) || event.action !== 'create' || !event.idempotency_key.startsWith('runtime-task-')) return null;
  if (firingDigest(event.idempotency_key) === null) return null;
  const fire = await host.events.findByIdempotencyKey(host.workspaceId, event.idempotency_key.replace('runtime-task-', 'runtime-fire-'));
  const record = fire === null ? null : readFiring(fire);
  return record === null ? null : triggerKey(record.workflowId, record.triggerId);
};
