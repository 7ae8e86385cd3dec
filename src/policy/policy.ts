import { type AuthorizationRequest, assuranceLevels, type EventAction, type PrincipalKind } from '#adapter-contracts';
import type { FieldIssue } from '#errors';
import {
  checkShape,
  isCapability,
  JsonSyntaxError,
  jsonSyntaxIssue,
  listOf,
  matchGlob,
  oneOf,
  type PlacedJson,
  type Registry,
  readJson,
  record,
  type Shape,
  text,
} from '#registry';

export type Assurance = (typeof assuranceLevels)[number];

/** Which requests a rule is about; a member left out says nothing, and a rule holds where all of its members do. */
export interface PolicySelector {
  /** Bare or qualified types, or `<namespace>:*`; `ssss:event` and `ssss:index` for events and `index.md`. */
  readonly types?: readonly string[];
  readonly actions?: readonly EventAction[];
  /** Path globs over the document's path or the event's subject. */
  readonly paths?: readonly string[];
  readonly kinds?: readonly PrincipalKind[];
}

/**
 * The host's own requirements on top of capabilities (§6.6); they only ever add. The file is `.ssss/policy.json`:
 *
 * ```json
 * {
 *   "floors": [{ "types": ["skill", "workflow"], "kinds": ["agent", "service"], "capabilities": ["govern:behaviour"] }],
 *   "step_up": [{ "types": ["role"], "assurance": "strong" }],
 *   "confirm": [{ "actions": ["delete"], "paths": ["rules/**"] }],
 *   "lease_required": ["pages/**"]
 * }
 * ```
 */
export interface Policy {
  /** Extra capabilities the principal must hold. */
  readonly floors: readonly (PolicySelector & { readonly capabilities: readonly string[] })[];
  /** A minimum `authentication.assurance`; levels in order: none, verified, strong. */
  readonly step_up: readonly (PolicySelector & { readonly assurance: Assurance })[];
  /** A human principal who confirmed exactly this request. */
  readonly confirm: readonly PolicySelector[];
  /** Path globs whose writes need a lease (§7). */
  readonly lease_required: readonly string[];
}

/** What holds without a policy file; the floors built into the authorizer hold besides, with and without one. */
export const defaultPolicy: Policy = Object.freeze({ floors: [], step_up: [], confirm: [], lease_required: [] });

/** `.ssss/policy.json` cannot be read as a policy; the vault must not run as if it had none. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly source: string;
  readonly issues: readonly FieldIssue[];

  constructor(source: string, issues: readonly FieldIssue[], options?: ErrorOptions) {
    const lines = issues.map(({ issue, line, column }) => `  ${line === undefined ? '' : `${source}:${line}:${column ?? 1}: `}${issue}`);
    super(`${source} is not usable as a policy:\n${lines.join('\n')}`, options);
    this.source = source;
    this.issues = issues;
  }
}

const actions = ['create', 'replace', 'patch', 'append', 'event', 'delete'] as const satisfies readonly EventAction[];
const kinds = ['human', 'agent', 'service', 'system'] as const satisfies readonly PrincipalKind[];
const atLeastOne = { nonEmpty: 'must name at least one; an empty list would select nothing.' };
const capability = text(value => (isCapability(value) ? null : `must be a capability 'scope:action', is '${value}'.`));
/** A glob that no path can match would be a rule that silently does not hold. */
const globProblem = (value: string): string | null => {
  if (value.startsWith('/')) return "must be vault-relative, without a leading '/'.";
  if (value.endsWith('/')) return `matches no file, because it ends in '/'; for everything below write '${value}**'.`;
  const never = value.includes('\\') || value.split('/').some(segment => segment === '' || segment === '.' || segment === '..');
  return never ? "matches no path: a path has no '\\' and no empty, '.' or '..' segment." : null;
};
const glob = text(globProblem);
const selector = {
  types: listOf(text(), atLeastOne),
  actions: listOf(oneOf(actions), atLeastOne),
  paths: listOf(glob, atLeastOne),
  kinds: listOf(oneOf(kinds), atLeastOne),
};

const policyShape: Shape = record({
  floors: listOf(
    record({ ...selector, capabilities: listOf(capability, { nonEmpty: 'must name at least one capability.' }) }, ['capabilities']),
  ),
  step_up: listOf(record({ ...selector, assurance: oneOf(assuranceLevels) }, ['assurance'])),
  confirm: listOf(record(selector)),
  lease_required: listOf(glob),
});

/**
 * Parses `.ssss/policy.json` strictly: a misspelt member or value is an error, never a rule that silently does not hold. With a registry,
 * types that no loaded registry knows are errors too.
 *
 * @throws PolicyError listing every problem with its key, line and column
 */
export function parsePolicy(json: string, source: string, registry?: Registry): Policy {
  let placed: PlacedJson;
  try {
    placed = readJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new PolicyError(source, [jsonSyntaxIssue('policy', error)], { cause: error });
    throw error;
  }
  const issues = checkShape(placed, policyShape, 'policy');
  if (issues.length > 0) throw new PolicyError(source, issues);
  const policy: Policy = { ...defaultPolicy, ...(placed.value as Partial<Policy>) };
  if (registry === undefined) return policy;
  const unknown = unknownTypes(policy, placed, registry);
  if (unknown.length > 0) throw new PolicyError(source, unknown);
  return withoutAliases(policy, registry);
}

/** Requests carry the type's own name, so a rule that is written with an alias would never meet one. */
function withoutAliases(policy: Policy, registry: Registry): Policy {
  const ownName = (type: string): string => {
    const definition = registry.resolve(type);
    return definition === null || type === definition.type ? type : definition.qualified;
  };
  const named = <R extends PolicySelector>(rules: readonly R[]): readonly R[] =>
    rules.map(rule => (rule.types === undefined ? rule : { ...rule, types: rule.types.map(ownName) }));
  return { ...policy, floors: named(policy.floors), step_up: named(policy.step_up), confirm: named(policy.confirm) };
}

function unknownTypes(policy: Policy, placed: PlacedJson, registry: Registry): readonly FieldIssue[] {
  const namespaces = new Set(['ssss', ...registry.extensions.map(({ id }) => id)]);
  const isKnown = (type: string): boolean =>
    type === 'ssss:event' ||
    type === 'ssss:index' ||
    registry.resolve(type) !== null ||
    (type.endsWith(':*') && namespaces.has(type.slice(0, -2)));
  return (['floors', 'step_up', 'confirm'] as const).flatMap(key =>
    policy[key].flatMap((rule, index) =>
      (rule.types ?? []).flatMap((type, at) => {
        if (isKnown(type)) return [];
        const field = `${key}[${index}].types[${at}]`;
        return [{ field, issue: `'${field}' names '${type}', which is no loaded type.`, ...placed.placeOf([key, index, 'types', at]) }];
      }),
    ),
  );
}

/** Whether a rule is about a request. */
export function selects(rule: PolicySelector, request: AuthorizationRequest): boolean {
  const { primitiveId, definition, action, path, principal } = request;
  const isType = (type: string): boolean =>
    type === primitiveId || type === definition?.type || (type.endsWith(':*') && primitiveId.startsWith(type.slice(0, -1)));
  return (
    (rule.types?.some(isType) ?? true) &&
    (rule.actions?.includes(action) ?? true) &&
    (rule.paths?.some(paths => matchGlob(paths, path)) ?? true) &&
    (rule.kinds?.includes(principal.kind) ?? true)
  );
}

/** Whether the host's policy makes a lease necessary for writing a path (§7, readings: when a lease is needed). */
export const policyRequiresLease = (policy: Policy, path: string): boolean => policy.lease_required.some(paths => matchGlob(paths, path));
