import type { EventAction } from '#adapter-contracts';
import type { Definition, Registry } from '#registry';

/**
 * Whether a granted capability covers a required one: equal, `*:*`, or ending in `:*` with everything before the `*` as a prefix (§6.6).
 *
 * @example capabilityCovers('ssss:assistant:*', 'ssss:assistant:create') // true
 */
export function capabilityCovers(granted: string, required: string): boolean {
  if (granted === required || granted === '*:*') return true;
  return granted.endsWith(':*') && required.startsWith(granted.slice(0, -1));
}

/** The required capabilities that no granted one covers. */
export const missingCapabilities = (granted: readonly string[], required: readonly string[]): readonly string[] =>
  required.filter(capability => !granted.some(grant => capabilityCovers(grant, capability)));

/** The capabilities that both lists grant. */
export const capabilitiesInBoth = (left: readonly string[], right: readonly string[]): readonly string[] => [
  ...new Set([
    ...left.filter(one => right.some(other => capabilityCovers(other, one))),
    ...right.filter(one => left.some(other => capabilityCovers(other, one))),
  ]),
];

/** What stage 5 asks for: the type's own `capabilities[action]`, else `<qualified>:<action>`; `write:event` for events (§6.6). */
export function requiredCapabilities(definition: Definition | null, primitiveId: string, action: EventAction): readonly string[] {
  if (action === 'event') return ['write:event'];
  const declared = definition?.capabilities[action];
  return declared !== undefined && declared.length > 0 ? declared : [`${primitiveId}:${action}`];
}

/**
 * The capabilities that read every type which holds structure and nothing private (§5.5). A type that names capabilities of its own for reading is left
 * out: an extension could name any, `*:*` included, and whoever got them by default would hold what they mean elsewhere.
 */
export const structuralReads = (registry: Registry): readonly string[] =>
  registry.documentTypes
    .filter(({ portability, capabilities }) => portability === 'structural' && capabilities.read === undefined)
    .map(({ qualified }) => `${qualified}:read`);

/**
 * Expands the permissions of a pre-0.9 role: `write:<type>` and `*:<type>` to `<qualified>:*`, `write:*` to `*:*`; everything else,
 * `write:event` included, stays as it is (§6.6, readings: pre-0.9 roles).
 */
export function expandRolePermissions(permissions: readonly string[], registry: Registry): readonly string[] {
  return [...new Set(permissions.map(permission => expand(permission, registry)))];
}

function expand(permission: string, registry: Registry): string {
  if (permission === 'write:*') return '*:*';
  const type = legacyScope(permission);
  const definition = type === null ? null : registry.resolve(type);
  return definition === null ? permission : `${definition.qualified}:*`;
}

/** The `<type>` of a pre-0.9 `write:<type>` or `*:<type>`; null for every other capability. */
export function legacyScope(permission: string): string | null {
  const match = /^(?:write|\*):(.+)$/s.exec(permission);
  return match === null || match[1] === '*' || match[1] === 'event' ? null : match[1]!;
}
