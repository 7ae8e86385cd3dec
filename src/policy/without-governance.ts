import type { Registry } from '#registry';
import { capabilityCovers } from './capability.ts';
import { governedTypes } from './governed-types.ts';

const writes = ['create', 'replace', 'patch', 'append', 'delete'] as const;

/** Every capability that writes documents of a qualified type which names none of its own. */
export const writesOf = (type: string): readonly string[] => writes.map(action => `${type}:${action}`);

/** Capabilities that no agent without a person beside it holds, however much its principal was granted. */
const withheldScopes = ['admin', 'govern'] as const;
const withheld = ['app:approve', 'app:manage'] as const;
/** What a broad grant such as `*:*` still gives it, beside the types. */
const ordinary = ['write:event', 'read:event', 'search:private', 'run:workflow', 'run:task', 'app:use', 'app:chat'] as const;

/**
 * The grants without those that no agent at standard input and no run holds: `*:*`, roles, models, types, principals, settings, approvals (mcp: who
 * acts; readings: rights of a run). A broad grant is replaced by what it covers of the rest; governed documents may still be read.
 */
export const withoutGovernance = (granted: readonly string[], registry: Registry): readonly string[] => {
  const isWithheld = (grant: string): boolean =>
    [...[...governedTypes].flatMap(writesOf), ...withheldScopes.map(scope => `${scope}:any`), ...withheld].some(capability =>
      capabilityCovers(grant, capability),
    ) || withheldScopes.some(scope => grant.startsWith(`${scope}:`));
  const rest = [
    ...ordinary,
    'ssss:index:*',
    'ssss:markdown:read',
    ...registry.documentTypes.flatMap(({ qualified, capabilities }) =>
      // What a type asks for in words of its own may be anything, `*:*` included.
      governedTypes.has(qualified) ? [`${qualified}:read`] : [`${qualified}:*`, ...Object.values(capabilities).flat()],
    ),
  ].filter(capability => !isWithheld(capability));
  return [
    ...new Set(granted.flatMap(grant => (isWithheld(grant) ? rest.filter(capability => capabilityCovers(grant, capability)) : [grant]))),
  ];
};
