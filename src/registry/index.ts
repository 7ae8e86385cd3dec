// Path globs are part of the rules a policy file is written in; policy reaches them here because it may not see documents.
export { matchGlob } from '#document';
export { composeRegistry } from './compose-registry.ts';
export { conditionHolds } from './condition.ts';
export { loadCoreRegistry } from './core-registry.ts';
export {
  type Definition,
  type EnumValue,
  type LoadedExtension,
  type PortabilityClass,
  portabilityClasses,
  type ReferenceRule,
  type Registry,
  type Vocabularies,
} from './definition.ts';
export { describeRegistry, type RegistryDescription } from './describe-registry.ts';
export { type ExtensionRegistry, parseExtension } from './extension.ts';
export { JsonSyntaxError, jsonSyntaxIssue, type PlacedJson, readJson } from './json-reader.ts';
export { capabilityActions, isCapability } from './name-rules.ts';
export { compilePattern, type PatternMatcher } from './pattern.ts';
export { effectivePortability, isPortabilityClass } from './portability.ts';
export { primitiveToExtension } from './primitive-extension.ts';
export { checkPrimitive, fieldKinds } from './primitive-meta-schema.ts';
export {
  type AnyRegistryError,
  isRegistryError,
  RegistryError,
  type RegistryErrorCode,
  type RegistryErrorDetails,
} from './registry-error.ts';
export { registryLock, verifyRegistryLock } from './registry-lock.ts';
export { checkShape, flag, listOf, mapOf, oneOf, record, type Shape, text } from './shape.ts';
