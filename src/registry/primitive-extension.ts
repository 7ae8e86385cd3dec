import { type FrontmatterMap, hasKey, isMap, type Value } from '#document';
import type { FieldIssue } from '#errors';
import type { ReferenceRule } from './definition.ts';
import type { DefinitionEntry } from './definition-entry.ts';
import { parseExtension } from './extension.ts';
import { checkPrimitive } from './primitive-meta-schema.ts';
import { isRegistryError, RegistryError } from './registry-error.ts';

/**
 * Composes the `primitive` documents of one namespace into the text of `.ssss/extensions/<namespace>.json` (readings: extensions). What a
 * document says maps to §5.6 keys: `mutation` → `append_only`; each field → `required_fields` or `optional_fields`, with `values` →
 * `enums`, `pattern` → `patterns`, `immutable` → `immutable_fields`; kind `reference` and `resource_reference` → `references`; the
 * references to resources and secrets of a `resource_bound` type → `resource.binds`; `aliases` and `requires` → the file's own members.
 *
 * @throws RegistryError `primitive_invalid` naming the document and key
 */
export function primitiveToExtension(documents: readonly FrontmatterMap[], namespace: string, version: string): string {
  const issues = documents.flatMap(data => documentIssues(data, namespace));
  const ids = documents.map(idOf);
  const twice = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  issues.push(...[...twice].map(id => ({ field: 'primitive_id', issue: `'${id}' is defined by more than one document; keep one.` })));
  if (documents.length === 0)
    issues.push({ field: 'primitive_id', issue: `No primitive document of the namespace '${namespace}' was given.` });
  if (issues.length > 0) throw invalid(namespace, issues);

  const sorted = documents.toSorted((left, right) => (idOf(left) < idOf(right) ? -1 : 1));
  const file = {
    registry: namespace,
    version,
    ...nonEmpty('requires', mergeRequires(sorted, namespace)),
    ...nonEmpty('aliases', mergeAliases(sorted, namespace)),
    primitives: Object.fromEntries(sorted.map(data => [typeOf(data), toEntry(data)])),
  };
  const text = `${JSON.stringify(file, null, 2)}\n`;
  try {
    parseExtension(text, `the extension '${namespace}'`);
  } catch (error) {
    // What the meta-schema admits and a registry file does not: reserved names, unknown actions, bad versions.
    if (isRegistryError(error) && error.code === 'registry_invalid') {
      throw invalid(
        namespace,
        error.details.issues.map(({ field, issue }) => ({ field, issue })),
        error,
      );
    }
    throw error;
  }
  return text;
}

function invalid(namespace: string, issues: readonly FieldIssue[], cause?: Error): RegistryError<'primitive_invalid'> {
  const message = `The primitives of '${namespace}' cannot become an extension:\n${issues.map(({ issue }) => `  ${issue}`).join('\n')}`;
  return new RegistryError('primitive_invalid', { namespace, issues }, message, { cause });
}

function documentIssues(data: FrontmatterMap, namespace: string): FieldIssue[] {
  const missing = ['primitive_id', 'namespace', 'version', 'mutation', 'portability', 'fields'].filter(key => !hasKey(data, key));
  const issues = [...missing.map(field => ({ field, issue: `'${field}' is missing.` })), ...checkPrimitive(data)];
  if (hasKey(data, 'namespace') && data.namespace !== namespace) {
    issues.push({ field: 'namespace', issue: `belongs to ${JSON.stringify(data.namespace)}, not to '${namespace}'.` });
  }
  return issues.map(({ field, issue }) => ({ field, issue: `${idOf(data)}: ${issue}` }));
}

const idOf = (data: FrontmatterMap): string => (typeof data.primitive_id === 'string' ? data.primitive_id : '(no primitive_id)');
const typeOf = (data: FrontmatterMap): string => idOf(data).slice(idOf(data).indexOf(':') + 1);
const fieldsOf = (data: FrontmatterMap): readonly FrontmatterMap[] => (data.fields as readonly Value[]).filter(isMap);
const idsOf = (fields: readonly FrontmatterMap[]): readonly string[] => fields.map(field => field.id as string);
const nonEmpty = <T extends object>(key: string, value: T): Record<string, T> => (Object.keys(value).length === 0 ? {} : { [key]: value });

function toEntry(data: FrontmatterMap): DefinitionEntry {
  const fields = fieldsOf(data);
  const valued = (key: string) => Object.fromEntries(fields.filter(field => hasKey(field, key)).map(field => [field.id, field[key]]));
  const references = fields.filter(({ kind }) => kind === 'reference' || kind === 'resource_reference');
  const bound = fields.filter(({ kind }) => kind === 'resource_reference' || kind === 'secret_reference');
  return {
    ...(typeof data.description === 'string' ? { description: data.description } : {}),
    version: data.version as number,
    portability: data.portability as DefinitionEntry['portability'],
    ...(data.mutation === 'append' ? { append_only: true } : {}),
    ...nonEmpty('required_fields', idsOf(fields.filter(field => field.required === true))),
    ...nonEmpty('optional_fields', idsOf(fields.filter(field => field.required !== true))),
    ...nonEmpty('enums', valued('values')),
    ...nonEmpty('patterns', valued('pattern')),
    ...nonEmpty('immutable_fields', idsOf(fields.filter(field => field.immutable === true))),
    ...nonEmpty('references', Object.fromEntries(references.map(field => [field.id, referenceRule(field)]))),
    ...nonEmpty('capabilities', (data.capabilities ?? {}) as Record<string, readonly string[]>),
    ...(data.portability === 'resource_bound' && bound.length > 0 ? { resource: { binds: idsOf(bound) } } : {}),
  };
}

const referenceKeys = ['allowed_types', 'disallowed_types', 'allowed_portability', 'must_exist', 'hash_field'];

function referenceRule(field: FrontmatterMap): ReferenceRule {
  const given = Object.fromEntries(referenceKeys.filter(key => hasKey(field, key)).map(key => [key, field[key]]));
  return { ...(field.kind === 'resource_reference' ? { allowed_types: ['resource'] } : {}), ...given } as ReferenceRule;
}

function mergeAliases(documents: readonly FrontmatterMap[], namespace: string): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const data of documents) {
    for (const alias of (data.aliases ?? []) as readonly string[]) {
      if (Object.hasOwn(merged, alias)) {
        throw invalid(namespace, [{ field: 'aliases', issue: `'${alias}' is an alias of '${merged[alias]}' and of '${typeOf(data)}'.` }]);
      }
      merged[alias] = typeOf(data);
    }
  }
  return merged;
}

function mergeRequires(documents: readonly FrontmatterMap[], namespace: string): Record<string, Value> {
  const merged: Record<string, Value> = {};
  for (const data of documents) {
    const requires = data.requires ?? {};
    if (!isMap(requires))
      throw invalid(namespace, [
        { field: 'requires', issue: `${idOf(data)}: 'requires' must be a map from an extension to a version range.` },
      ]);
    for (const [extension, range] of Object.entries(requires)) {
      if (Object.hasOwn(merged, extension) && merged[extension] !== range) {
        throw invalid(namespace, [
          {
            field: 'requires',
            issue: `'${extension}' is required as ${JSON.stringify(merged[extension])} and as ${JSON.stringify(range)}; agree on one range.`,
          },
        ]);
      }
      merged[extension] = range;
    }
  }
  return merged;
}
