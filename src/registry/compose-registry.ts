import semver from 'semver';
import { canonicalJson, hashContent } from '#document';
import { readCoreFile } from './core-file.ts';
import type { Definition, LoadedExtension, Registry, Vocabularies } from './definition.ts';
import { deepFreeze, toDefinition } from './definition-entry.ts';
import type { ExtensionRegistry } from './extension.ts';
import { compilePattern, type PatternMatcher } from './pattern.ts';
import { invalidRegistry, RegistryError } from './registry-error.ts';

/**
 * Composes the core and the given extensions into one immutable registry (§5.6). The order of `extensions` decides only the order in
 * which types are listed: names never overlap, so verdicts and digest are the same for every order, and cycles in `requires` are harmless
 * (readings: extensions).
 *
 * @throws RegistryError `registry_collision` naming both sides, `registry_requirement`, `registry_invalid` for references to unknown types
 */
export function composeRegistry(input: { readonly extensions: readonly ExtensionRegistry[] }): Registry {
  const core = readCoreFile();
  const coreTypes = Object.entries(core.primitives).map(([type, entry]) => toDefinition(core.registry, type, entry));
  const documentTypes = [...coreTypes, ...input.extensions.flatMap(extension => extension.definitions)];
  const contractTypes = core.contracts.map(contractDefinition);
  checkRequirements(input.extensions, core.spec_version);
  const names = claimNames(coreTypes, contractTypes, input.extensions);
  const resolve = (name: string): Definition | null => names.get(name) ?? null;
  checkReferences(input.extensions, resolve);

  const vocabularies: Vocabularies = {
    bundle: core.bundle,
    parameter: core.parameter,
    provisioning: core.provisioning,
    runtime: core.runtime,
    semantic: core.semantic,
  };
  const parts = {
    specVersion: core.spec_version,
    universalFields: core.universal_fields,
    reservedKeys: core.reserved_keys,
    extensions: input.extensions.map(({ id, version, requires }): LoadedExtension => ({ id, version, requires })),
    vocabularies,
    aliases: aliasMap(input.extensions),
    documentTypes,
    contractTypes,
  };
  // Both are dear and most commands need neither: computed when first asked for, then kept.
  let digest: string | undefined;
  return Object.freeze<Registry>({
    ...deepFreeze(parts),
    resolve,
    patternMatcher: patternMatchers(),
    get digest() {
      digest ??= digestOf(parts);
      return digest;
    },
  });
}

const contractDefinition = (type: string): Definition => ({
  // A contract is never a file, hence never exported; the strictest class says so to any code that asks (§5.5).
  ...toDefinition('ssss', type, { portability: 'tenant_private' }),
  contract: true,
});

/** Every name a document may carry in `type`, mapped to its definition; throws at the second claim on a name. */
function claimNames(
  coreTypes: readonly Definition[],
  contractTypes: readonly Definition[],
  extensions: readonly ExtensionRegistry[],
): ReadonlyMap<string, Definition> {
  const names = new Map<string, Definition>();
  const owners = new Map<string, string>();
  const claim = (name: string, owner: string, definition: Definition | null): void => {
    const other = owners.get(name);
    if (other !== undefined) throw collision(name, other, owner);
    owners.set(name, owner);
    if (definition !== null) names.set(name, definition);
  };
  for (const { type, qualified } of contractTypes)
    for (const name of [type, qualified]) claim(name, `the contract '${type}' of the core`, null);
  for (const definition of coreTypes)
    for (const name of [definition.type, definition.qualified]) claim(name, `the core type '${definition.type}'`, definition);
  for (const extension of extensions) {
    const where = `extension '${extension.id}' (${extension.source})`;
    claim(`${extension.id}:`, where, null);
    for (const definition of extension.definitions) {
      for (const name of [definition.type, definition.qualified]) claim(name, `the type '${definition.type}' of ${where}`, definition);
    }
  }
  for (const extension of extensions) {
    for (const [alias, type] of Object.entries(extension.aliases)) {
      const target = extension.definitions.find(definition => definition.type === type) ?? null;
      const owner = `the alias '${alias}' of extension '${extension.id}' (${extension.source})`;
      for (const name of [alias, `${extension.id}:${alias}`]) claim(name, owner, target);
    }
  }
  return names;
}

function collision(name: string, first: string, second: string): RegistryError<'registry_collision'> {
  // Sorted, so that the message does not depend on the load order.
  const claimedBy = [first, second].toSorted() as [string, string];
  const shown = name.endsWith(':') ? `The namespace '${name.slice(0, -1)}'` : `'${name}'`;
  const message = `${shown} is claimed twice: by ${claimedBy[0]} and by ${claimedBy[1]}. An extension may not redefine or shadow a name; rename one of them.`;
  return new RegistryError('registry_collision', { name, claimedBy }, message);
}

function checkRequirements(extensions: readonly ExtensionRegistry[], specVersion: string): void {
  const versions = new Map(extensions.map(({ id, version }) => [id, version]));
  // The core is versioned as the standard is, without a patch number.
  versions.set('ssss', `${specVersion}.0`);
  for (const extension of extensions) {
    for (const [requires, range] of Object.entries(extension.requires)) {
      const found = versions.get(requires) ?? null;
      if (found !== null && semver.satisfies(found, range)) continue;
      const state = found === null ? `'${requires}' is not loaded` : `'${requires}' ${found} is loaded`;
      const message = `Extension '${extension.id}' ${extension.version} (${extension.source}) requires '${requires}' ${range}, but ${state}. Load a version in that range, or remove '${extension.id}'.`;
      throw new RegistryError('registry_requirement', { extension: extension.id, requires, range, found }, message);
    }
  }
}

/** A reference rule that names a type nobody knows would forbid nothing, or everything. */
function checkReferences(extensions: readonly ExtensionRegistry[], resolve: (name: string) => Definition | null): void {
  for (const extension of extensions) {
    const issues = extension.definitions.flatMap(definition =>
      Object.entries(definition.references).flatMap(([field, rule]) =>
        (['allowed_types', 'disallowed_types'] as const).flatMap(key =>
          (rule[key] ?? [])
            .filter(name => resolve(name) === null)
            .map(name => {
              const at = `primitives.${definition.type}.references.${field}.${key}`;
              return {
                field: at,
                issue: `'${at}' names '${name}', which is no loaded type. Load its extension first, or correct the name.`,
              };
            }),
        ),
      ),
    );
    if (issues.length > 0) throw invalidRegistry(extension.source, issues);
  }
}

function aliasMap(extensions: readonly ExtensionRegistry[]): Readonly<Record<string, string>> {
  const entries = extensions.flatMap(({ id, aliases }) =>
    Object.entries(aliases).map(([alias, type]) => [alias, `${id}:${type}`] as const),
  );
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(byKey(entries, ([alias]) => alias)));
}

/** Compiles each pattern at its first use; every one was compiled once before, when its file was checked. */
function patternMatchers(): Registry['patternMatcher'] {
  const compiled = new Map<string, PatternMatcher>();
  return ({ patterns }, field) => {
    const source = patterns[field];
    if (source === undefined) return null;
    const known = compiled.get(source);
    if (known !== undefined) return known;
    const matcher = compilePattern(source);
    compiled.set(source, matcher);
    return matcher;
  };
}

const byKey = <T>(items: readonly T[], key: (item: T) => string): readonly T[] =>
  items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));

/** SHA-256 over the canonical JSON of everything a verdict depends on, in an order of its own. */
function digestOf(parts: Pick<Registry, 'extensions' | 'documentTypes' | 'contractTypes'> & object): string {
  const canonical = canonicalJson({
    ...parts,
    extensions: byKey(parts.extensions, extension => extension.id),
    documentTypes: byKey(parts.documentTypes, definition => definition.qualified),
    contractTypes: byKey(parts.contractTypes, definition => definition.qualified),
  });
  return hashContent(canonical);
}
