import type { Clock, EventStore, Principal } from '#adapter-contracts';
import { VaultError } from '#errors';
import type { HookSecrets } from '#identity';
import type { Kernel, KernelResponse } from '#kernel';
import { repeatWindow, type Trigger, verifySignature, webhookReceipt } from '#runtime';
import { type HookReceipt, type HookRequest, longestHookBody, type VaultHooks } from './vault-hooks.ts';

interface HookParts {
  readonly workspaceId: string;
  readonly kernel: Kernel;
  readonly events: EventStore;
  readonly clock: Clock;
  readonly secrets: HookSecrets;
  /** The trigger as the vault defines it now; null when there is none that could fire. */
  findTrigger(workflowId: string, triggerId: string): Promise<Trigger | null>;
}

/** See `VaultHooks`. */
export const createVaultHooks = (parts: HookParts): VaultHooks => ({
  secrets: parts.secrets,
  async receive(request) {
    if (request.body.length > longestHookBody)
      throw new VaultError(
        'invalid_request',
        {},
        `A webhook carries at most ${longestHookBody} bytes; this one has ${request.body.length}.`,
      );
    const verified = await verify(parts, request);
    return verified === null ? null : record(parts, request, verified);
  },
});

interface Verified {
  readonly trigger: Trigger;
  readonly seconds: number | null;
}

const verify = async (parts: HookParts, request: HookRequest): Promise<Verified | null> => {
  const trigger = await parts.findTrigger(request.workflowId, request.triggerId);
  const usable = trigger?.selector.type === 'webhook' && trigger.active;
  const name = usable && trigger.selector.type === 'webhook' ? trigger.selector.secret : null;
  // Looked up and compared in any case, so that the answer takes as long for a trigger that is not there.
  const secrets = name === null ? [] : parts.secrets.live(name);
  const signed = verifySignature(secrets.length === 0 ? [nobodys] : secrets, request, parts.clock.now().getTime());
  if (trigger === null || name === null || secrets.length === 0 || signed === null) return null;
  return { trigger, seconds: signed.kind === 'timed' ? signed.seconds : null };
};

const nobodys = 'no secret of any trigger';

const record = async (parts: HookParts, request: HookRequest, { trigger, seconds }: Verified): Promise<HookReceipt> => {
  const { body, contentType } = request;
  const send = (after?: string): Promise<KernelResponse> =>
    parts.kernel.execute(
      webhookReceipt(parts.workspaceId, trigger, { body, contentType, seconds, ...(after === undefined ? {} : { after }) }),
      { principal: principalOf(parts.workspaceId, trigger), hostAction: 'webhook' },
    );
  let response = await send();
  // The same body of a sender that names no time is the same message for 30 days; later it is a new one, chained to the one before.
  while (response.success && response.replay === true && seconds === null && response.event_id !== undefined) {
    const before = await parts.events.findById(response.event_id);
    if (before === null || parts.clock.now().getTime() - Date.parse(before.timestamp) < repeatWindow) break;
    response = await send(before.event_id);
  }
  if (!response.success) throw new VaultError(response.error.code, {}, response.error.message);
  if (response.event_id === undefined) throw new VaultError('internal_error', {}, 'The webhook was recorded without an event.');
  return { event_id: response.event_id, replay: response.replay === true };
};

const principalOf = (workspaceId: string, trigger: Trigger): Principal => ({
  id: `webhook:${trigger.id}`,
  kind: 'service',
  workspaceIds: [workspaceId],
  capabilities: ['write:event'],
  authentication: { provider: 'webhook', assurance: 'verified' },
});
