export { errorCodes } from './error-codes.ts';
export { type AnyVaultError, type ErrorCode, type ErrorDetails, type FieldIssue, isVaultError, VaultError } from './vault-error.ts';
