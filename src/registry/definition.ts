import type { PatternMatcher } from './pattern.ts';

/** §5.5, from least to most restrictive. */
export const portabilityClasses = ['structural', 'resource_bound', 'tenant_private'] as const;
export type PortabilityClass = (typeof portabilityClasses)[number];

/** §5.6 `references`: a field that holds vault paths. */
export interface ReferenceRule {
  readonly allowed_types?: readonly string[];
  readonly disallowed_types?: readonly string[];
  readonly allowed_portability?: readonly PortabilityClass[];
  /** Default true. */
  readonly must_exist?: boolean;
  /** The frontmatter field that pins the target's content hash (`sha256:<hex>`). */
  readonly hash_field?: string;
}

export type EnumValue = string | number | boolean | null;

/** One primitive type after composition: what validation, policy and export need to know (§5.6). */
export interface Definition {
  /** Bare name, e.g. `assistant`. */
  readonly type: string;
  /** Registry namespace, e.g. `ssss`. */
  readonly namespace: string;
  /** `<namespace>:<type>`, recorded on every event. */
  readonly qualified: string;
  readonly family?: string;
  readonly version: number;
  readonly contract: boolean;
  readonly portability: PortabilityClass;
  readonly append_only: boolean;
  readonly lease_required: boolean;
  readonly required_fields: readonly string[];
  readonly optional_fields: readonly string[];
  readonly allow_empty: readonly string[];
  /** `"<field>==<value>"` → fields. */
  readonly required_when: Readonly<Record<string, readonly string[]>>;
  readonly enums: Readonly<Record<string, readonly EnumValue[]>>;
  /** `"<field>==<value>"` → enums that bind only then (pointer assets restrict `x_portability`, §5.4). */
  readonly enums_when: Readonly<Record<string, Readonly<Record<string, readonly EnumValue[]>>>>;
  /** Field → pattern source; matched unanchored with the `u` flag by a linear-time engine. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly immutable_fields: readonly string[];
  readonly references: Readonly<Record<string, ReferenceRule>>;
  /** Action → capability strings; an absent action means `<qualified>:<action>`. */
  readonly capabilities: Readonly<Record<string, readonly string[]>>;
  readonly resource?: { readonly binds: readonly string[]; readonly kind?: string; readonly relation?: string };
  readonly canonical_filename?: string;
}

/** The closed vocabularies of the standard that are no type rules (§11.8, §11.9, §16, §17). */
export interface Vocabularies {
  readonly bundle: { readonly manifest_required_fields: readonly string[]; readonly export_profiles: readonly string[] };
  readonly parameter: { readonly required_fields: readonly string[]; readonly sources: readonly string[] };
  readonly provisioning: {
    readonly step_required_fields: readonly string[];
    readonly systems: readonly string[];
    readonly modes: readonly string[];
    readonly relations: readonly string[];
    readonly install_modes: readonly string[];
  };
  readonly runtime: {
    readonly trigger_types: readonly string[];
    readonly misfire_policies: readonly string[];
    readonly concurrency_policies: readonly string[];
    readonly trigger_defaults: { readonly misfire_policy: string; readonly concurrency: string; readonly timezone: string };
  };
  readonly semantic: { readonly surface_fields: readonly string[]; readonly identity_fields: readonly string[] };
}

/** One loaded extension as the registry, its lock and its description name it. */
export interface LoadedExtension {
  readonly id: string;
  readonly version: string;
  readonly requires: Readonly<Record<string, string>>;
}

/** The composed, immutable type registry. */
export interface Registry {
  /** The standard's version this registry implements: `"0.9"`. */
  readonly specVersion: string;
  /** Fields required on every document type (§4.2). */
  readonly universalFields: readonly string[];
  readonly reservedKeys: readonly string[];
  /** Loaded extension ids and versions, in load order. */
  readonly extensions: readonly LoadedExtension[];
  readonly vocabularies: Vocabularies;
  /** Alias → qualified type. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Document types, core first, each extension in its load order. */
  readonly documentTypes: readonly Definition[];
  readonly contractTypes: readonly Definition[];
  /** Resolves a bare name, qualified name or alias to a document type; null when unknown. */
  resolve(name: string): Definition | null;
  /** The compiled `patterns` entry of a field, null when it has none. Compiled once per registry. */
  patternMatcher(definition: Definition, field: string): PatternMatcher | null;
  /** SHA-256 (`sha256:<hex>`) over the canonical composition; what `registry.lock.json` pins. */
  readonly digest: string;
}
