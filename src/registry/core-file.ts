import { createRequire } from 'node:module';
import type { Vocabularies } from './definition.ts';
import type { DefinitionEntry } from './definition-entry.ts';

/** `registry/core.json`: our own data, shipped with the package and checked against the standard's facts by its test. */
export interface CoreFile extends Vocabularies {
  readonly registry: 'ssss';
  readonly spec_version: string;
  readonly universal_fields: readonly string[];
  readonly reserved_keys: readonly string[];
  readonly primitives: Readonly<Record<string, DefinitionEntry>>;
  readonly contracts: readonly string[];
}

/** Read under the package's own name, which holds for sources, build and bundle alike. */
export const readCoreFile = (): CoreFile => createRequire(import.meta.url)('sheaf/registry/core.json') as CoreFile;
