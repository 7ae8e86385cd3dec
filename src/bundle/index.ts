export type { Bundle, BundleDependency, BundleFile, BundleManifest, BundleParameter, ExportProfile, ProvisioningStep } from './bundle.ts';
export type { BundleFault, BundleRule } from './check/bundle-fault.ts';
export { type CheckedBundle, checkBundle } from './check/check-bundle.ts';
export { bundleContentHash } from './content-hash.ts';
export { exportBundle, type VaultFile } from './export/export-bundle.ts';
export type { ExportOptions } from './export/export-options.ts';
export { type ExportFinding, ExportRefusedError, type ExportReport, type Leaving, type Staying } from './export/export-report.ts';
export { findPrivateText, type PrivateText } from './export/find-private-text.ts';
