import { canonicalJson, hashContent } from '#document';
import type { LoadedExtension, Registry } from './definition.ts';
import { JsonSyntaxError, jsonSyntaxIssue, type PlacedJson, readJson } from './json-reader.ts';
import { invalidRegistry, RegistryError } from './registry-error.ts';
import { checkShape, listOf, record, type Shape, text } from './shape.ts';

interface Lock {
  readonly lock_version: 1;
  readonly spec_version: string;
  readonly digest: string;
  readonly extensions: readonly { readonly id: string; readonly version: string; readonly digest: string }[];
}

const digest = text(value => (/^sha256:[0-9a-f]{64}$/.test(value) ? null : 'must be sha256: and 64 hexadecimal digits.'));
const lockShape: Shape = record(
  {
    lock_version: (value, path, report) => {
      if (value !== 1) report(path, 'must be 1; a newer Sheaf may have written this lock.');
    },
    spec_version: text(),
    digest,
    extensions: listOf(record({ id: text(), version: text(), digest }, ['id', 'version', 'digest'])),
  },
  ['lock_version', 'spec_version', 'digest', 'extensions'],
);

/** The text of `registry.lock.json`: the digest of the composition, and one per extension so that drift can be told apart (§5.6). */
export function registryLock(registry: Registry): string {
  return `${JSON.stringify(lockOf(registry), null, 2)}\n`;
}

function lockOf(registry: Registry): Lock {
  const extensions = registry.extensions.map(extension => ({
    id: extension.id,
    version: extension.version,
    digest: extensionDigest(registry, extension),
  }));
  return {
    lock_version: 1,
    spec_version: registry.specVersion,
    digest: registry.digest,
    extensions: extensions.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
  };
}

function extensionDigest(registry: Registry, extension: LoadedExtension): string {
  const own = (qualified: string): boolean => qualified.startsWith(`${extension.id}:`);
  const types = registry.documentTypes.filter(({ qualified }) => own(qualified));
  const aliases = Object.fromEntries(Object.entries(registry.aliases).filter(([, target]) => own(target)));
  const sorted = types.toSorted((left, right) => (left.qualified < right.qualified ? -1 : 1));
  return hashContent(canonicalJson({ extension, aliases, types: sorted }));
}

/**
 * Compares the composed registry with a lock file's text and returns when they agree.
 *
 * @throws RegistryError `registry_drift` saying what changed; `registry_invalid` when the lock itself cannot be read
 */
export function verifyRegistryLock(registry: Registry, json: string, source = 'registry.lock.json'): void {
  const locked = readLock(json, source);
  if (locked.digest === registry.digest) return;
  const changes = describeDrift(locked, lockOf(registry));
  const message = `The registry is not the one ${source} pins: ${changes.join('; ')}. Restore the registry files, or accept the change with 'sheaf registry lock'.`;
  throw new RegistryError('registry_drift', { expected: locked.digest, actual: registry.digest }, message);
}

function readLock(json: string, source: string): Lock {
  let placed: PlacedJson;
  try {
    placed = readJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalidRegistry(source, [jsonSyntaxIssue('lock', error)], { cause: error });
    throw error;
  }
  const issues = checkShape(placed, lockShape, 'lock');
  if (issues.length > 0) throw invalidRegistry(source, issues);
  return placed.value as Lock;
}

function describeDrift(locked: Lock, actual: Lock): readonly string[] {
  const changes: string[] = [];
  if (locked.spec_version !== actual.spec_version) changes.push(`the standard was ${locked.spec_version} and is ${actual.spec_version}`);
  for (const pinned of locked.extensions) {
    const now = actual.extensions.find(({ id }) => id === pinned.id);
    if (now === undefined) changes.push(`extension '${pinned.id}' is no longer loaded`);
    else if (now.version !== pinned.version) changes.push(`extension '${pinned.id}' was ${pinned.version} and is ${now.version}`);
    else if (now.digest !== pinned.digest)
      changes.push(`extension '${pinned.id}' ${now.version} has other contents under the same version`);
  }
  for (const now of actual.extensions) {
    if (!locked.extensions.some(({ id }) => id === now.id)) changes.push(`extension '${now.id}' was not loaded`);
  }
  return changes.length > 0 ? changes : ['the core types differ'];
}
