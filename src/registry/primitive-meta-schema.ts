import { type FrontmatterMap, hasKey, isMap, type Value } from '#document';
import type { FieldIssue } from '#errors';
import { isAction, isCapability, isSymbolicId, isTypeName } from './name-rules.ts';
import { compilePattern } from './pattern.ts';
import { kindOf } from './shape.ts';

/** Kinds a field of a `primitive` document may have (§5.4). */
export const fieldKinds = [
  'string',
  'text',
  'number',
  'integer',
  'boolean',
  'datetime',
  'date',
  'enum',
  'object',
  'array',
  'reference',
  'secret_reference',
  'resource_reference',
] as const;

type Rule = (value: Value) => readonly string[];

const positiveInteger: Rule = value =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? [] : [`must be a positive integer, is ${shown(value)}.`];
const singleString: Rule = value => (typeof value === 'string' ? [] : [`must be a single string, is ${shown(value)}.`]);

const rules: Readonly<Record<string, Rule>> = {
  primitive_id: singleString,
  namespace: singleString,
  version: positiveInteger,
  revision: positiveInteger,
  mutation: singleString,
  portability: singleString,
  name: value => (typeof value === 'string' && value.trim() !== '' ? [] : ['must be a non-empty string, in any language.']),
  scopes: value => (Array.isArray(value) ? repeated(value, 'scopes') : [`must be a list, such as [workspace], is ${shown(value)}.`]),
  fields: fieldsProblems,
  capabilities: capabilityProblems,
  aliases: aliasProblems,
};

/**
 * The §5.4 meta-schema of `primitive` documents, without what the registry entry of `primitive` already demands (presence, enums,
 * patterns). Issues name the frontmatter key and say which element is meant.
 */
export function checkPrimitive(data: FrontmatterMap): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const [field, rule] of Object.entries(rules)) {
    const value = hasKey(data, field) ? data[field] : undefined;
    // Emptiness is rule 3's to report; an optional key without a value declares nothing.
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    for (const issue of rule(value)) issues.push({ field, issue: `'${field}' ${issue}` });
  }
  const { primitive_id: id, namespace } = data;
  if (typeof id === 'string' && typeof namespace === 'string' && !id.startsWith(`${namespace}:`)) {
    const issue = `'primitive_id' must begin with its namespace: '${namespace}:…', is '${id}'.`;
    issues.push({ field: 'primitive_id', issue });
  }
  return issues;
}

const shown = (value: unknown): string => (typeof value === 'object' ? kindOf(value) : JSON.stringify(value));

function repeated(values: readonly Value[], where: string): readonly string[] {
  const twice = values.filter((value, index) => values.indexOf(value) !== index);
  return [...new Set(twice)].map(value => `repeats ${JSON.stringify(value)}; each of the ${where} may stand once.`);
}

function fieldsProblems(value: Value): readonly string[] {
  if (!Array.isArray(value)) return [`must be a list of maps with id, name and kind, is ${shown(value)}.`];
  const entries: readonly Value[] = value;
  const ids = entries.flatMap(entry => (isMap(entry) && typeof entry.id === 'string' ? [entry.id] : []));
  return [...entries.flatMap((entry, index) => fieldProblems(entry).map(issue => `[${index}] ${issue}`)), ...repeated(ids, 'ids')];
}

function fieldProblems(entry: Value): readonly string[] {
  if (!isMap(entry)) return [`must be a map with id, name and kind, is ${shown(entry)}.`];
  const problems: string[] = [];
  if (typeof entry.id !== 'string' || !isSymbolicId(entry.id)) {
    problems.push(`needs an 'id' of ASCII letters, digits, '-' and '_' starting with a letter, has ${shown(entry.id ?? null)}.`);
  }
  if (typeof entry.name !== 'string' || entry.name.trim() === '') problems.push("needs a non-empty 'name', in any language.");
  if (typeof entry.kind !== 'string' || !(fieldKinds as readonly string[]).includes(entry.kind)) {
    problems.push(`needs a 'kind' out of ${fieldKinds.join(', ')}; has ${shown(entry.kind ?? null)}.`);
  }
  if (entry.kind === 'enum' || hasKey(entry, 'values')) problems.push(...enumProblems(entry.values ?? null));
  for (const key of ['required', 'immutable', 'must_exist']) {
    if (hasKey(entry, key) && typeof entry[key] !== 'boolean') problems.push(`has a '${key}' that is neither true nor false.`);
  }
  if (hasKey(entry, 'pattern')) problems.push(...patternProblems(entry.pattern ?? null));
  return problems;
}

function enumProblems(values: Value): readonly string[] {
  if (!Array.isArray(values) || values.length === 0) return ["needs 'values', a list with at least one element."];
  const list: readonly Value[] = values;
  if (list.some(value => value === null || value === '' || typeof value === 'object'))
    return ["has 'values' that are not all plain, non-empty values."];
  return repeated(list, 'values');
}

function patternProblems(pattern: Value): readonly string[] {
  if (typeof pattern !== 'string' || pattern === '') return ["has a 'pattern' that is no non-empty string."];
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    return [`has a 'pattern' that cannot be used: ${(error as Error).message}.`];
  }
}

function capabilityProblems(value: Value): readonly string[] {
  if (!isMap(value)) return [`must be a map from an action to a list of capabilities, is ${shown(value)}.`];
  return Object.entries(value).flatMap(([action, list]) => {
    if (!isAction(action)) return [`has the key '${action}', which is no action name.`];
    if (!Array.isArray(list) || list.length === 0)
      return [`'${action}' must be a list with at least one capability, is ${Array.isArray(list) ? 'empty' : shown(list)}.`];
    const wrong = (list as readonly Value[]).filter(capability => typeof capability !== 'string' || !isCapability(capability));
    return wrong.map(capability => `'${action}' holds ${shown(capability)}, which is no capability 'scope:action'.`);
  });
}

function aliasProblems(value: Value): readonly string[] {
  if (!Array.isArray(value)) return [`must be a list of names, is ${shown(value)}.`];
  const aliases: readonly Value[] = value;
  const unsafe = aliases.filter(alias => typeof alias !== 'string' || !isTypeName(alias));
  return [
    ...unsafe.map(alias => `holds ${shown(alias)}; an alias is lowercase ASCII letters, digits, '-' and '_', starting with a letter.`),
    ...repeated(aliases, 'aliases'),
  ];
}
