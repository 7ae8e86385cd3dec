export { errorCodes } from './error-codes.ts';
export { errorStatuses } from './error-statuses.ts';
export { reasonOf } from './reason-of.ts';
export {
  type AnyVaultError,
  type ErrorCode,
  type ErrorDetails,
  type FieldIssue,
  invalidMember,
  isVaultError,
  VaultError,
} from './vault-error.ts';
export { isSystemMessage, withoutHostPaths } from './without-host-paths.ts';
