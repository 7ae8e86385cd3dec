import type { Principal, PrincipalKind } from '#adapter-contracts';
import { hasKey, isMap, isWellFormed } from '#document';
import { type FieldIssue, VaultError } from '#errors';

/** Who is acting, as far as stage 1 looks (§6.3): enough to hash the request, not yet enough to act. */
export interface Caller {
  readonly id: string;
  /** The principal as the host attached it; null when `role` will be converted. */
  readonly attached: unknown;
  /** Pre-0.9 role compatibility: the role to convert before stage 5 (§6.6). */
  readonly role: string | null;
}

const kinds: readonly PrincipalKind[] = ['human', 'agent', 'service', 'system'];
// It is hashed and recorded, so it must have a UTF-8 form.
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && isWellFormed(value);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string' && isWellFormed(item));

const unauthorized = (issues: readonly FieldIssue[]): VaultError<'unauthorized'> =>
  new VaultError(
    'unauthorized',
    { issues },
    'No complete verified principal came with the envelope: the host must authenticate the caller.',
  );

/** The attached principal's id, or in compatibility mode the envelope's `actor`. Throws `unauthorized`; there is no default caller. */
export function readCaller(attached: unknown, input: unknown, pre09Roles: boolean): Caller {
  if (isMap(attached) && isText(attached.id) && isText(attached.kind)) return { id: attached.id, attached, role: null };
  if (pre09Roles && (attached === undefined || attached === null)) {
    const actor = isMap(input) && hasKey(input, 'actor') ? input.actor : null;
    if (isMap(actor) && hasKey(actor, 'role') && isText(actor.role)) {
      const id = hasKey(actor, 'id') && isText(actor.id) ? actor.id : `role:${actor.role}`;
      return { id, attached: null, role: actor.role };
    }
  }
  throw unauthorized([{ field: 'principal', issue: 'Needs an id and a kind.' }]);
}

/** The complete principal (§6.6), reduced to the members that events record, so that no token ever reaches the log. Throws `unauthorized`. */
export function completePrincipal(attached: unknown): Principal {
  const given = isMap(attached) ? (attached as Readonly<Record<string, unknown>>) : {};
  const authentication = isMap(given.authentication) ? (given.authentication as Readonly<Record<string, unknown>>) : {};
  const { id, kind, workspaceIds, capabilities } = given;
  const { provider, assurance } = authentication;
  const issues: FieldIssue[] = [];
  const check = (holds: boolean, field: string, issue: string): void => {
    if (!holds) issues.push({ field, issue });
  };
  check(isText(id), 'principal.id', 'Must be a non-empty string.');
  check((kinds as readonly unknown[]).includes(kind), 'principal.kind', `Must be one of ${kinds.join(', ')}.`);
  check(isTexts(workspaceIds), 'principal.workspaceIds', 'Must be a list of workspace ids.');
  check(isTexts(capabilities), 'principal.capabilities', 'Must be a list of capabilities.');
  check(isText(provider), 'principal.authentication.provider', 'Must be a non-empty string.');
  check(assurance === undefined || isText(assurance), 'principal.authentication.assurance', 'Must be a non-empty string when present.');
  if (issues.length > 0) throw unauthorized(issues);
  return {
    id: id as string,
    kind: kind as PrincipalKind,
    workspaceIds: [...(workspaceIds as readonly string[])],
    capabilities: [...(capabilities as readonly string[])],
    authentication: { provider: provider as string, ...(assurance === undefined ? {} : { assurance: assurance as string }) },
  };
}
