import type { Registry } from '#registry';
import type { BundleFault } from './bundle-fault.ts';
import { type ManifestInput, manifestShape } from './manifest-shape.ts';

/** What the manifest alone decides: its shape, and the rules between its members. Null while the shape does not hold. */
export const checkManifest = (
  manifest: unknown,
  registry: Registry,
): { readonly manifest: ManifestInput | null; readonly faults: readonly BundleFault[] } => {
  const parsed = manifestShape(registry).safeParse(manifest);
  if (parsed.success) return { manifest: parsed.data, faults: ruleFaults(parsed.data, registry) };
  const faults = parsed.error.issues.map(
    ({ path, message }): BundleFault => ({ rule: 'manifest', place: placeOf(['manifest', ...path]), issue: message }),
  );
  return { manifest: null, faults };
};

/** `manifest.parameters[0].key`. */
export const placeOf = (path: readonly PropertyKey[]): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');

const ruleFaults = (manifest: ManifestInput, registry: Registry): readonly BundleFault[] => [
  ...versionFaults(manifest, registry),
  ...originFaults(manifest),
  ...doubles(
    manifest.provisioning.map(({ id }) => id),
    'provisioning',
    'id',
  ),
  ...doubles(
    (manifest.parameters ?? []).map(({ key }) => key),
    'parameters',
    'key',
  ),
  ...orderFaults(manifest),
  ...integrityFaults(manifest),
];

const versionFaults = (manifest: ManifestInput, registry: Registry): readonly BundleFault[] => {
  const loaded = new Set(registry.extensions.map(({ id }) => id));
  const core: readonly BundleFault[] =
    manifest.ssss_core_version === registry.specVersion
      ? []
      : [
          {
            rule: 'version',
            place: 'manifest.ssss_core_version',
            issue: `This host reads bundles of version ${registry.specVersion}; this one is of '${manifest.ssss_core_version}'.`,
          },
        ];
  const missing = manifest.required_extensions.flatMap((id, index): readonly BundleFault[] =>
    loaded.has(id)
      ? []
      : [
          {
            rule: 'extension',
            place: `manifest.required_extensions[${index}]`,
            issue: `The extension '${id}' is not loaded here: add it to the vault first.`,
          },
        ],
  );
  return [...core, ...missing];
};

const originFaults = ({ source_workspace_id: source, export_profile: profile }: ManifestInput): readonly BundleFault[] =>
  profile === 'backup' || source === undefined || source === null
    ? []
    : [
        {
          rule: 'manifest',
          place: 'manifest.source_workspace_id',
          issue: `A ${profile} bundle does not say where it comes from: leave it out.`,
        },
      ];

const doubles = (keys: readonly string[], list: string, member: string): readonly BundleFault[] =>
  keys.flatMap((key, index): readonly BundleFault[] =>
    keys.indexOf(key) === index
      ? []
      : [{ rule: 'manifest', place: `manifest.${list}[${index}].${member}`, issue: `'${key}' stands twice.` }],
  );

/** Parameters that depend on each other in a circle could never be asked for. */
const orderFaults = ({ parameters = [] }: ManifestInput): readonly BundleFault[] => {
  const faults: BundleFault[] = [];
  const known = new Map(parameters.map((parameter, index) => [parameter.key, { index, needs: parameter.dependsOn ?? [] }]));
  for (const [key, { index, needs }] of known) {
    const place = `manifest.parameters[${index}].dependsOn`;
    for (const need of needs) if (!known.has(need)) faults.push({ rule: 'manifest', place, issue: `There is no parameter '${need}'.` });
    if (reaches(known, key)) faults.push({ rule: 'manifest', place, issue: `'${key}' depends on itself.` });
  }
  return faults;
};

const reaches = (known: ReadonlyMap<string, { readonly needs: readonly string[] }>, start: string): boolean => {
  const seen = new Set<string>();
  const pending = [...(known.get(start)?.needs ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === start) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    pending.push(...(known.get(next)?.needs ?? []));
  }
  return false;
};

const integrityFaults = ({ dependencies, provenance }: ManifestInput): readonly BundleFault[] =>
  dependencies === undefined || dependencies.integrity.content_hash === provenance.content_hash
    ? []
    : [
        {
          rule: 'integrity',
          place: 'manifest.dependencies.integrity.content_hash',
          issue: 'It differs from provenance.content_hash: the bundle was changed after it was made.',
        },
      ];
