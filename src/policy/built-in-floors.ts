import type { AuthorizationRequest } from '#adapter-contracts';
import { legacyScope, missingCapabilities } from './capability.ts';
import { governedTypes } from './governed-types.ts';
import { isInteractive, isRemote } from './interactive.ts';
import type { Policy } from './policy.ts';

/** A reason to refuse, and what the principal lacks when a capability would help. */
export interface Refusal {
  readonly reason: string;
  readonly missing?: readonly string[];
}

/** Governance of roles holds with every policy file and without one (readings: roles). */
export const builtInFloors: Policy['floors'] = [
  { types: ['ssss:role', 'ssss:security_role'], kinds: ['agent', 'service'], capabilities: ['govern:role'] },
];

const reservedKeys = ['runtime', 'prov-', 'adopt-', 'undo-', 'hub:'];
const reservedEventTypes = ['hub.', 'ssss.runtime.', 'workflow_', 'proposal_', 'document_adopted'];

/** What the host does in somebody else's name, and the keys and the one event type that this opens. */
const hostActions: Readonly<
  Record<NonNullable<AuthorizationRequest['hostAction']>, { readonly keys: string; readonly eventType: string | null }>
> = {
  adopt: { keys: 'adopt-', eventType: 'document_adopted' },
  undo: { keys: 'undo-', eventType: null },
  webhook: { keys: 'runtime-hook-', eventType: 'workflow_webhook_received' },
};

/** The principals the host itself acts as: trusted internal callers, and the one service of daemons and workers. */
const isHostsOwn = ({ principal }: AuthorizationRequest): boolean =>
  principal.kind === 'system' || (principal.id === 'sheaf:runtime' && principal.kind === 'service');

/**
 * What only the host may put into the log: keys and event types that its own machinery trusts. A `document_adopted` event counts as the
 * host's when the host is adopting, and asks for `admin:adopt`.
 */
export function hostOnlyRefusal(request: AuthorizationRequest): Refusal | null {
  if (isHostsOwn(request)) return null;
  const { idempotencyKey: key, principal } = request;
  const eventType = eventTypeOf(request);
  const action = request.hostAction === undefined ? null : hostActions[request.hostAction];
  const opened = action === null || (action.eventType !== null && action.eventType !== eventType) ? null : action;
  const prefix = reservedKeys.find(reserved => key.startsWith(reserved));
  if (prefix !== undefined && !(opened !== null && key.startsWith(opened.keys))) {
    return { reason: `Idempotency keys that begin with '${prefix}' are reserved for the host itself; choose another key.` };
  }
  const isReserved = eventType !== null && reservedEventTypes.some(start => eventType.startsWith(start));
  if (isReserved && eventType !== opened?.eventType) {
    const remedy = eventType === 'document_adopted' ? "adopt the document with 'sheaf adopt'" : 'choose another event_type';
    return { reason: `Events of the type '${eventType}' are recorded by the host itself; ${remedy}.` };
  }
  const adopts = eventType === 'document_adopted';
  const missing = adopts ? missingCapabilities(principal.capabilities, ['admin:adopt']) : [];
  return missing.length === 0 ? null : { reason: `Adopting a hand edit needs the capability ${missing.join(', ')}.`, missing };
}

function eventTypeOf({ action, payload }: AuthorizationRequest): string | null {
  if (action !== 'event' || typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'event_type')) return null;
  const { event_type: type } = payload as { readonly event_type: unknown };
  return typeof type === 'string' ? type : null;
}

/**
 * A role document never grants more than its writer holds (readings: roles). Pre-0.9 spellings are measured by what they would expand to,
 * whatever the type: `write:rule` grants more than its letters say, so only a holder of everything may write it.
 */
export function roleGrantRefusal({ principal, primitiveId, proposed }: AuthorizationRequest): Refusal | null {
  if (principal.kind === 'system' || proposed === null || (primitiveId !== 'ssss:role' && primitiveId !== 'ssss:security_role'))
    return null;
  const permissions: unknown = Object.hasOwn(proposed, 'permissions') ? proposed.permissions : [];
  const granted: readonly unknown[] = Array.isArray(permissions) ? permissions : [permissions];
  const needed = granted
    .filter(permission => permission !== null)
    .map(permission => (typeof permission === 'string' && !isBroad(permission) ? permission : '*:*'));
  const missing = missingCapabilities(principal.capabilities, [...new Set(needed)]);
  if (missing.length === 0) return null;
  return {
    reason: `A role cannot grant more than its writer holds; '${principal.id}' does not hold ${missing.join(', ')}. Leave those permissions out, or let someone who holds them write the role.`,
    missing,
  };
}

const isBroad = (permission: string): boolean => permission === 'write:*' || legacyScope(permission) !== null;

/**
 * Who reaches a document that decides about rights through a server is a person in an interactive session who confirmed exactly this request
 * (decision 0010). At the terminal, typing the command is both.
 */
export function governedWriteRefusal(request: AuthorizationRequest): Refusal | null {
  const { principal, primitiveId } = request;
  if (!governedTypes.has(primitiveId) || !isRemote(principal)) return null;
  if (!isInteractive(principal)) {
    const how =
      principal.kind === 'human'
        ? `'${principal.id}' came with a stored token or a weak sign-in`
        : `'${principal.id}' is of kind '${principal.kind}'`;
    return {
      reason: `A ${primitiveId} decides about rights, so a person changes it: at this machine's terminal, in the page that the server's one-time link opens, or signed in with a second factor; ${how}.`,
    };
  }
  return request.confirmation === request.requestHash ? null : { reason: confirmationNeeded(request.requestHash) };
}

export const confirmationNeeded = (requestHash: string): string =>
  `This change needs your confirmation: repeat the same request under the same key and confirm its hash, with --confirm ${requestHash} at a terminal, with the header Sheaf-Confirm: ${requestHash} over HTTP.`;
