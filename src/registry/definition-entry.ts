import { parseCondition } from './condition.ts';
import { type Definition, type EnumValue, portabilityClasses, type ReferenceRule } from './definition.ts';
import { capabilityActions, isCapability } from './name-rules.ts';
import { compilePattern } from './pattern.ts';
import { flag, kindOf, listOf, mapOf, oneOf, positiveInteger, record, type Shape, text } from './shape.ts';

/** One entry under `primitives` of a registry file: the keys of §5.6, all optional but `portability`. */
export interface DefinitionEntry {
  readonly family?: string;
  readonly description?: string;
  readonly version?: number;
  readonly portability: Definition['portability'];
  readonly append_only?: boolean;
  readonly lease_required?: boolean;
  readonly required_fields?: readonly string[];
  readonly optional_fields?: readonly string[];
  readonly allow_empty?: readonly string[];
  readonly required_when?: Definition['required_when'];
  readonly enums?: Definition['enums'];
  readonly enums_when?: Definition['enums_when'];
  readonly patterns?: Definition['patterns'];
  readonly immutable_fields?: readonly string[];
  readonly references?: Readonly<Record<string, ReferenceRule>>;
  readonly capabilities?: Definition['capabilities'];
  readonly resource?: NonNullable<Definition['resource']>;
  readonly canonical_filename?: string;
}

const fieldNameProblem = (name: string): string | null =>
  name === '' || name === '__body__' || /[\u0000-\u001f\u007f]/.test(name) ? 'is not a frontmatter key.' : null;
const conditionProblem = (condition: string): string | null =>
  parseCondition(condition) === null ? "must be written '<field>==<value>' without spaces." : null;
const patternProblem = (source: string): string | null => {
  try {
    compilePattern(source);
    return null;
  } catch (error) {
    return `is no usable pattern: ${(error as Error).message}.`;
  }
};
const actionProblem = (action: string): string | null =>
  (capabilityActions as readonly string[]).includes(action) ? null : `is not an action; allowed: ${capabilityActions.join(', ')}.`;
const capabilityProblem = (capability: string): string | null =>
  isCapability(capability)
    ? null
    : `must be a capability 'scope:action' (more scopes may precede: 'acme:booking:create'), is '${capability}'.`;

const enumValue: Shape = (value, path, report) => {
  if (typeof value === 'object' && value !== null) report(path, `must be a string, number, boolean or null, is ${kindOf(value)}.`);
};
const fields = listOf(text(fieldNameProblem));
const enums = mapOf(fieldNameProblem, listOf(enumValue, { nonEmpty: 'must allow at least one value.' }));
const classes = listOf(oneOf(portabilityClasses), { nonEmpty: 'must name at least one class.' });
const reference = record({
  allowed_types: listOf(text(), { nonEmpty: 'must name at least one type.' }),
  disallowed_types: listOf(text(), { nonEmpty: 'must name at least one type.' }),
  allowed_portability: classes,
  must_exist: flag,
  hash_field: text(fieldNameProblem),
});

/** The shape of a §5.6 entry. Without a class an export could not tell what may leave the vault (readings: extensions). */
export const definitionShape: Shape = record(
  {
    family: text(),
    description: text(),
    version: positiveInteger,
    portability: oneOf(portabilityClasses),
    append_only: flag,
    lease_required: flag,
    required_fields: fields,
    optional_fields: fields,
    allow_empty: fields,
    required_when: mapOf(conditionProblem, fields),
    enums,
    enums_when: mapOf(conditionProblem, enums),
    patterns: mapOf(fieldNameProblem, text(patternProblem)),
    immutable_fields: fields,
    references: mapOf(fieldNameProblem, reference),
    // An empty list would read as "no capability needed".
    capabilities: mapOf(
      actionProblem,
      listOf(text(capabilityProblem), { nonEmpty: 'must name at least one capability; leave the action out for the default.' }),
    ),
    resource: record(
      { binds: listOf(text(fieldNameProblem), { nonEmpty: 'must name at least one field.' }), kind: text(), relation: text() },
      ['binds'],
    ),
    canonical_filename: text(),
  },
  ['portability'],
);

/** Completes an entry that kept `definitionShape` into an immutable definition. */
export function toDefinition(namespace: string, type: string, entry: DefinitionEntry): Definition {
  return deepFreeze<Definition>({
    type,
    namespace,
    qualified: `${namespace}:${type}`,
    ...(entry.family === undefined ? {} : { family: entry.family }),
    version: entry.version ?? 1,
    contract: false,
    portability: entry.portability,
    append_only: entry.append_only ?? false,
    lease_required: entry.lease_required ?? false,
    required_fields: [...(entry.required_fields ?? [])],
    optional_fields: [...(entry.optional_fields ?? [])],
    allow_empty: [...(entry.allow_empty ?? [])],
    required_when: bareMap(entry.required_when),
    enums: bareMap<readonly EnumValue[]>(entry.enums),
    enums_when: bareMap(entry.enums_when),
    patterns: bareMap(entry.patterns),
    immutable_fields: [...(entry.immutable_fields ?? [])],
    references: bareMap(entry.references),
    capabilities: bareMap(entry.capabilities),
    ...(entry.resource === undefined ? {} : { resource: entry.resource }),
    ...(entry.canonical_filename === undefined ? {} : { canonical_filename: entry.canonical_filename }),
  });
}

/** A copy without a prototype: looking up `constructor` in it finds nothing. */
const bareMap = <T>(map: Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null) as Record<string, T>, map);

/** Freezes a value and all it holds. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
