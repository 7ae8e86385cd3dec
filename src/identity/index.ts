export { type Authenticator, createAuthenticator } from './authenticator.ts';
export { type BrowserSessions, createBrowserSessions } from './browser-sessions.ts';
export { createRoleConverter, type RoleConverter } from './convert-role.ts';
export { withFileLock } from './file-lock.ts';
export { localPrincipal } from './local-principal.ts';
export { makeDirectories, writeFileDurably } from './machine-directory.ts';
export type { OidcVerifier } from './oidc-verifier.ts';
export { readPrincipalFile } from './principal-file.ts';
export {
  createMemoryPrincipalRegistry,
  type NewPrincipal,
  openPrincipalRegistry,
  type PrincipalRegistry,
  type PrincipalSummary,
} from './principal-registry.ts';
export { createMemoryRecoveryNotes, openRecoveryNotes, type RecoveryNote, type RecoveryNotes } from './recovery-notes.ts';
export { vaultId, vaultStateDir } from './vault-state-dir.ts';
