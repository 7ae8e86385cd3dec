import type { Definition, Registry } from '#registry';
import type { BundleFile, BundleManifest } from '../bundle.ts';
import { bundleContentHash } from '../content-hash.ts';
import { parsedDocument } from '../requirement.ts';
import type { ExportOptions } from './export-options.ts';
import { type Requiring, requirementsOf } from './requirements.ts';

/** The manifest of what leaves (§16.2): counted, hashed, and with what a host needs to take it in. */
export const makeManifest = (
  files: readonly BundleFile[],
  registry: Registry,
  types: ReadonlyMap<string, Definition>,
  requiring: readonly Requiring[],
  options: ExportOptions,
): BundleManifest => {
  const { profile, name, description, version, exporter } = options;
  const definitions = [...types.values()];
  const extensions = sortedSet(
    definitions.map(({ namespace }) => namespace).filter(namespace => registry.extensions.some(({ id }) => id === namespace)),
  );
  const hash = bundleContentHash(files);
  const requirements = requirementsOf(requiring);
  const parameters = [...(options.parameters ?? []), ...requirements.parameters];
  return {
    name,
    description,
    version,
    exported_at: options.exportedAt ?? '1970-01-01T00:00:00.000Z',
    ssss_core_version: registry.specVersion,
    required_extensions: extensions,
    export_profile: profile,
    primitive_inventory: inventoryOf(definitions),
    provisioning: requirements.provisioning,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(profile === 'backup' ? { source_workspace_id: options.sourceWorkspaceId } : {}),
    dependencies: {
      primitives: sortedSet(definitions.map(({ qualified }) => qualified)),
      extensions,
      migrations: sortedSet(files.flatMap(file => migrationIds(file, types.get(file.path)))),
      ...(options.bundles === undefined || options.bundles.length === 0 ? {} : { bundles: options.bundles }),
      integrity: { content_hash: hash, ssss_core_version: registry.specVersion },
    },
    file_count: files.length,
    provenance: { content_hash: hash, exporter },
  };
};

const inventoryOf = (definitions: readonly Definition[]): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>();
  for (const { type } of definitions) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
};

const migrationIds = ({ content }: BundleFile, definition: Definition | undefined): readonly string[] => {
  const id: unknown = definition?.qualified === 'ssss:migration' ? parsedDocument(content)?.data.migration_id : undefined;
  return typeof id === 'string' ? [id] : [];
};

const sortedSet = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
