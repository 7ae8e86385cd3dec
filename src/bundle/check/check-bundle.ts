import { z } from 'zod';
import type { Registry } from '#registry';
import type { Bundle, BundleFile } from '../bundle.ts';
import { bundleContentHash } from '../content-hash.ts';
import type { BundleFault } from './bundle-fault.ts';
import { checkFiles } from './check-files.ts';
import { checkManifest, placeOf } from './check-manifest.ts';
import type { ManifestInput } from './manifest-shape.ts';

/** A bundle that keeps every rule, or all the rules it breaks. */
export type CheckedBundle =
  | { readonly valid: true; readonly bundle: Bundle; readonly faults: readonly [] }
  | { readonly valid: false; readonly faults: readonly BundleFault[] };

const outerShape = z.looseObject({
  manifest: z.unknown(),
  branding: z.record(z.string(), z.unknown()).optional(),
  /** Cached frontmatter and whatever else stands beside a file's content counts for nothing (§16.4). */
  files: z.array(z.object({ path: z.string(), content: z.string() })),
});

/**
 * Checks a bundle against every rule of §16 and §5.5, whoever made it: shape, versions, extensions, order, counts, hashes, paths, collisions, validity of
 * each document, and the class that the profile allows. Pure; all faults at once, none of which says what a private document holds.
 */
export const checkBundle = (input: unknown, registry: Registry): CheckedBundle => {
  const outer = outerShape.safeParse(input);
  if (!outer.success) {
    const faults = outer.error.issues.map(
      ({ path, message }): BundleFault => ({ rule: 'shape', place: placeOf(path) || 'bundle', issue: message }),
    );
    return { valid: false, faults };
  }
  const { files, branding } = outer.data;
  const { manifest, faults: manifestFaults } = checkManifest(outer.data.manifest, registry);
  const checked = checkFiles(files, registry, manifest?.export_profile ?? null);
  const faults = [...manifestFaults, ...checked.faults, ...(manifest === null ? [] : countFaults(manifest, files, checked.inventory))];
  if (faults.length > 0 || manifest === null) return { valid: false, faults };
  const bundle: Bundle = { manifest: manifest as Bundle['manifest'], ...(branding === undefined ? {} : { branding }), files };
  return { valid: true, bundle, faults: [] };
};

const countFaults = (
  manifest: ManifestInput,
  files: readonly BundleFile[],
  inventory: Readonly<Record<string, number>>,
): readonly BundleFault[] => {
  const faults: BundleFault[] = [];
  if (manifest.file_count !== files.length)
    faults.push({
      rule: 'count',
      place: 'manifest.file_count',
      issue: `It says ${manifest.file_count}, but there are ${files.length} files.`,
    });
  for (const type of new Set([...Object.keys(inventory), ...Object.keys(manifest.primitive_inventory)])) {
    const [said, found] = [manifest.primitive_inventory, inventory].map(counts => (Object.hasOwn(counts, type) ? counts[type] : 0));
    if (said !== found)
      faults.push({ rule: 'inventory', place: `manifest.primitive_inventory.${type}`, issue: `It says ${said}, but there are ${found}.` });
  }
  const hash = bundleContentHash(files);
  if (manifest.provenance.content_hash !== hash)
    faults.push({
      rule: 'integrity',
      place: 'manifest.provenance.content_hash',
      issue: `The files hash to ${hash}: the bundle was changed after it was made.`,
    });
  return faults;
};
