import type { Definition, LoadedExtension, Registry } from './definition.ts';

/** One type as `sheaf registry show` prints it: the rules that are set, and its aliases. */
type DescribedType = Partial<Definition> &
  Pick<Definition, 'type' | 'qualified' | 'portability'> & { readonly aliases?: readonly string[] };

/** The composed registry as plain JSON. */
export interface RegistryDescription {
  readonly spec_version: string;
  readonly digest: string;
  readonly universal_fields: readonly string[];
  readonly reserved_keys: readonly string[];
  readonly extensions: readonly LoadedExtension[];
  readonly document_types: readonly DescribedType[];
  readonly contract_types: readonly string[];
}

/** Describes a registry for people and scripts; rules a type does not use are left out. */
export function describeRegistry(registry: Registry): RegistryDescription {
  return {
    spec_version: registry.specVersion,
    digest: registry.digest,
    universal_fields: registry.universalFields,
    reserved_keys: registry.reservedKeys,
    extensions: registry.extensions,
    document_types: registry.documentTypes.map(definition => describeType(definition, registry)),
    contract_types: registry.contractTypes.map(({ type }) => type),
  };
}

function describeType(definition: Definition, registry: Registry): DescribedType {
  const aliases = Object.keys(registry.aliases).filter(alias => registry.aliases[alias] === definition.qualified);
  const { contract: _always, namespace: _inTheName, ...rules } = definition;
  const used = Object.fromEntries(Object.entries(rules).filter(([, value]) => !isUnset(value)));
  return { ...(used as DescribedType), ...(aliases.length > 0 ? { aliases } : {}) };
}

const isUnset = (value: unknown): boolean =>
  value === false || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
