import { type AuthorizationRequest, type AuthorizationVerdict, type Authorizer, assuranceLevels } from '#adapter-contracts';
import {
  builtInFloors,
  confirmationNeeded,
  governedWriteRefusal,
  hostOnlyRefusal,
  type Refusal,
  roleGrantRefusal,
} from './built-in-floors.ts';
import { missingCapabilities, requiredCapabilities } from './capability.ts';
import { type Assurance, type Policy, selects } from './policy.ts';

export interface AuthorizerOptions {
  readonly policy: Policy;
  /** The path of a pending `conflict` that names the slug as `new_slug`; keeps that memory from promotion (readings: memory conflicts). */
  pendingConflict?(workspaceId: string, slug: string): Promise<string | null>;
}

/**
 * The default authorizer (§6.6): the type's capabilities, then everything that only adds to them: what is reserved for the host, the
 * built-in floors on documents that decide about rights, and the policy's floors, step-up and confirmation. A `system` principal bypasses capabilities, floors
 * included, and is asked for no person's confirmation; workspace scope and completeness of the principal are checked before.
 */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  return {
    async authorize(request): Promise<AuthorizationVerdict> {
      const refusals = [
        hostOnlyRefusal(request),
        capabilityRefusal(request, options.policy),
        roleGrantRefusal(request),
        stepUpRefusal(request, options.policy),
        // Both may ask for the same confirmation; it is said once.
        governedWriteRefusal(request) ?? confirmationRefusal(request, options.policy),
        await promotionRefusal(request, options),
      ].filter(refusal => refusal !== null);
      if (refusals.length === 0) return { allowed: true };
      const missing = [...new Set(refusals.flatMap(refusal => refusal.missing ?? []))];
      const reason = refusals.map(refusal => refusal.reason).join(' ');
      return missing.length === 0 ? { allowed: false, reason } : { allowed: false, reason, missing };
    },
  };
}

function capabilityRefusal(request: AuthorizationRequest, policy: Policy): Refusal | null {
  const { principal, definition, primitiveId, action } = request;
  if (principal.kind === 'system') return null;
  const floors = [...builtInFloors, ...policy.floors].filter(rule => selects(rule, request));
  const required = [...requiredCapabilities(definition, primitiveId, action), ...floors.flatMap(rule => rule.capabilities)];
  const missing = missingCapabilities(principal.capabilities, [...new Set(required)]);
  if (missing.length === 0) return null;
  return { reason: `'${principal.id}' lacks ${missing.join(', ')}. Ask whoever administers this vault to grant it.`, missing };
}

/** An assurance nobody defined proves nothing. */
const levelOf = (assurance: string | undefined): number => Math.max(0, (assuranceLevels as readonly string[]).indexOf(assurance ?? 'none'));

function stepUpRefusal(request: AuthorizationRequest, policy: Policy): Refusal | null {
  const { principal } = request;
  if (principal.kind === 'system') return null;
  const demanded = policy.step_up.filter(rule => selects(rule, request)).map(rule => rule.assurance);
  const needed = demanded.reduce<Assurance>((highest, level) => (levelOf(level) > levelOf(highest) ? level : highest), 'none');
  if (levelOf(principal.authentication.assurance) >= levelOf(needed)) return null;
  const has = principal.authentication.assurance ?? 'none';
  return {
    reason: `This change needs an authentication of assurance '${needed}'; '${principal.id}' has '${has}'. Sign in more strongly and repeat it.`,
  };
}

function confirmationRefusal(request: AuthorizationRequest, policy: Policy): Refusal | null {
  const { principal, requestHash, confirmation } = request;
  if (principal.kind === 'system' || !policy.confirm.some(rule => selects(rule, request))) return null;
  if (principal.kind !== 'human') {
    return {
      reason: `This change needs the confirmation of a person, and '${principal.id}' is of kind '${principal.kind}'. Let a person submit it.`,
    };
  }
  if (confirmation === requestHash) return null;
  return { reason: confirmationNeeded(requestHash) };
}

/** Asked of everyone: no right makes a contradicted memory true. */
async function promotionRefusal(request: AuthorizationRequest, options: AuthorizerOptions): Promise<Refusal | null> {
  const { primitiveId, proposed, workspaceId } = request;
  if (options.pendingConflict === undefined || primitiveId !== 'ssss:memory' || proposed?.status !== 'active') return null;
  const { slug } = proposed;
  const conflict = typeof slug === 'string' ? await options.pendingConflict(workspaceId, slug) : null;
  return conflict === null
    ? null
    : { reason: `The memory '${String(slug)}' cannot become active while the conflict '${conflict}' is pending; resolve it first.` };
}
