export {
  capabilitiesInBoth,
  capabilityCovers,
  expandRolePermissions,
  missingCapabilities,
  requiredCapabilities,
  structuralReads,
} from './capability.ts';
export { createAuthorizer } from './create-authorizer.ts';
export { governedTypes } from './governed-types.ts';
export { isInteractive, isRemote } from './interactive.ts';
export {
  type Assurance,
  defaultPolicy,
  type Policy,
  PolicyError,
  type PolicySelector,
  parsePolicy,
  policyRequiresLease,
} from './policy.ts';
export { withoutGovernance, writesOf } from './without-governance.ts';
