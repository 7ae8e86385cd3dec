import semver from 'semver';
import type { Definition } from './definition.ts';
import { type DefinitionEntry, definitionShape, toDefinition } from './definition-entry.ts';
import { JsonSyntaxError, jsonSyntaxIssue, type PlacedJson, readJson } from './json-reader.ts';
import { isTypeName, namespaceProblem, typeNameProblem } from './name-rules.ts';
import { invalidRegistry } from './registry-error.ts';
import { checkShape, mapOf, record, type Shape, text } from './shape.ts';

/** One parsed extension registry, not yet composed with others. */
export interface ExtensionRegistry {
  /** Its namespace, the `registry` member. */
  readonly id: string;
  readonly version: string;
  /** Where it was read from, for messages. */
  readonly source: string;
  /** Extension id → semver range. */
  readonly requires: Readonly<Record<string, string>>;
  /** Alias → bare type of this extension. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly definitions: readonly Definition[];
}

interface ExtensionFile {
  readonly registry: string;
  readonly version: string;
  readonly requires?: Readonly<Record<string, string>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly primitives: Readonly<Record<string, DefinitionEntry>>;
}

const versionProblem = (version: string): string | null =>
  semver.valid(version) === version ? null : `must be a semantic version like '1.0.0', is '${version}'.`;
const rangeProblem = (range: string): string | null =>
  semver.validRange(range) === null ? `must be a semver range like '^1.2.0', is '${range}'.` : null;

const extensionShape: Shape = record(
  {
    registry: text(namespaceProblem),
    version: text(versionProblem),
    requires: mapOf(() => null, text(rangeProblem)),
    aliases: mapOf(
      typeNameProblem,
      text(name => (isTypeName(name) ? null : 'must be the bare name of a type in this file.')),
    ),
    primitives: mapOf(typeNameProblem, definitionShape),
  },
  ['registry', 'version', 'primitives'],
);

/**
 * Parses the text of `.ssss/extensions/<id>.json`: `{registry, version, requires?, aliases?, primitives: {<type>: {…§5.6 keys}}}`.
 * Strict, because a misspelt key of a rule would otherwise be a rule that silently does not hold (readings: extensions).
 *
 * @throws RegistryError `registry_invalid`, listing every problem with its key, line and column
 */
export function parseExtension(json: string, source: string): ExtensionRegistry {
  const placed = read(json, source);
  const issues = checkShape(placed, extensionShape, 'registry');
  if (issues.length > 0) throw invalidRegistry(source, issues);
  const file = placed.value as ExtensionFile;
  const requires = file.requires ?? {};
  const aliases = file.aliases ?? {};
  const own = [
    ...Object.entries(aliases).flatMap(([alias, type]) => {
      if (Object.hasOwn(file.primitives, alias)) return [problem(placed, ['aliases', alias], 'is also the name of a type in this file.')];
      return Object.hasOwn(file.primitives, type)
        ? []
        : [problem(placed, ['aliases', alias], `names '${type}', which is no type in this file.`)];
    }),
    ...(Object.hasOwn(requires, file.registry) ? [problem(placed, ['requires', file.registry], 'requires itself; remove the entry.')] : []),
  ];
  if (own.length > 0) throw invalidRegistry(source, own);
  const definitions = Object.entries(file.primitives).map(([type, entry]) => toDefinition(file.registry, type, entry));
  return Object.freeze({ id: file.registry, version: file.version, source, requires, aliases, definitions: Object.freeze(definitions) });
}

function read(json: string, source: string): PlacedJson {
  try {
    return readJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalidRegistry(source, [jsonSyntaxIssue('registry', error)], { cause: error });
    throw error;
  }
}

const problem = (placed: PlacedJson, path: readonly string[], issue: string) => ({
  field: path.join('.'),
  issue: `'${path.join('.')}' ${issue}`,
  ...placed.placeOf(path),
});
