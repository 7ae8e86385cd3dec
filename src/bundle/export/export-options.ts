import type { BundleDependency, BundleParameter, ExportProfile } from '../bundle.ts';

/** What the bundle is called, for whom it is, and what a person looked at. */
export interface ExportOptions {
  readonly profile: ExportProfile;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** ISO 8601; the same vault exported twice is the same only if this is. Default 1970-01-01T00:00:00.000Z. */
  readonly exportedAt?: string;
  readonly exporter: string;
  /** Named in backups only. */
  readonly sourceWorkspaceId: string;
  /** Other bundles that this one builds on. */
  readonly bundles?: readonly BundleDependency[];
  /** What a buyer is asked beside the requirements, such as the name of the business. */
  readonly parameters?: readonly BundleParameter[];
  /** Findings of an earlier report that a person looked at. */
  readonly acknowledged?: readonly string[];
}
