export type { Bundle, BundleDependency, BundleFile, BundleManifest, BundleParameter, ExportProfile, ProvisioningStep } from './bundle.ts';
export type { BundleFault, BundleRule } from './check/bundle-fault.ts';
export { type CheckedBundle, checkBundle } from './check/check-bundle.ts';
export { bundleContentHash } from './content-hash.ts';
