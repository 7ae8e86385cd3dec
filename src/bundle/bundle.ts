/** What decides which classes of documents a bundle may hold (§5.5). */
export const exportProfiles = ['backup', 'template', 'sale'] as const;
export type ExportProfile = (typeof exportProfiles)[number];

/** One document of a bundle: its whole text (§16.4). */
export interface BundleFile {
  readonly path: string;
  readonly content: string;
}

/** What an importer has to supply (§16.5). */
export interface BundleParameter {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly scope: string;
  readonly source: 'user' | 'llm' | 'graph' | 'system';
  readonly required: boolean;
  readonly defaultValue?: unknown;
  readonly options?: readonly unknown[];
  /** Keys of parameters that have to be known first. */
  readonly dependsOn?: readonly string[];
}

/** One step of provisioning (§17.2). */
export interface ProvisioningStep {
  readonly id: string;
  readonly label: string;
  readonly system: string;
  readonly mode: string;
  readonly required: boolean;
  readonly notes?: string;
}

/** Another bundle that this one builds on (§17.4; readings: bundles that need bundles). */
export interface BundleDependency {
  readonly name: string;
  /** A semver range. */
  readonly version: string;
  readonly content_hash?: string;
  readonly installMode: 'optional' | 'recommended' | 'required';
}

/** The bundle's contract (§16.2). */
export interface BundleManifest {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly exported_at: string;
  readonly ssss_core_version: string;
  readonly required_extensions: readonly string[];
  readonly export_profile: ExportProfile;
  readonly primitive_inventory: Readonly<Record<string, number>>;
  readonly provisioning: readonly ProvisioningStep[];
  readonly parameters?: readonly BundleParameter[];
  readonly source_workspace_id?: string | null;
  readonly dependencies?: {
    readonly primitives: readonly string[];
    readonly extensions: readonly string[];
    readonly migrations: readonly string[];
    readonly bundles?: readonly BundleDependency[];
    readonly integrity: { readonly content_hash: string; readonly ssss_core_version: string };
  };
  readonly file_count: number;
  readonly provenance: { readonly content_hash: string; readonly exporter: string; readonly signature?: string };
}

/** A portion of a vault in one transportable file (§16). */
export interface Bundle {
  readonly manifest: BundleManifest;
  /** Base64 by name. */
  readonly branding?: Readonly<Record<string, unknown>>;
  /** Sorted by path, by UTF-16 code units. */
  readonly files: readonly BundleFile[];
}
