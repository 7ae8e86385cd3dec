export { capabilityCovers, expandRolePermissions, missingCapabilities, requiredCapabilities } from './capability.ts';
export { createAuthorizer } from './create-authorizer.ts';
export {
  type Assurance,
  defaultPolicy,
  type Policy,
  PolicyError,
  type PolicySelector,
  parsePolicy,
  policyRequiresLease,
} from './policy.ts';
