export { type Authenticator, createAuthenticator } from './authenticator.ts';
export { type BrowserSessions, createBrowserSessions } from './browser-sessions.ts';
export { createRoleConverter, type RoleConverter } from './convert-role.ts';
export { withFileLock } from './file-lock.ts';
export { createHookSecrets, type HookSecrets } from './hook-secrets.ts';
export { localPrincipal } from './local-principal.ts';
export { ensurePrivateDirectory, makeDirectories, writeFileDurably, writeStateFile } from './machine-directory.ts';
export { OidcSettingsError } from './oidc-settings.ts';
export { createOidcVerifier, type OidcVerifier } from './oidc-verifier.ts';
export { readPrincipalFile } from './principal-file.ts';
export {
  createMemoryPrincipalRegistry,
  type NewPrincipal,
  openPrincipalRegistry,
  type PrincipalRegistry,
  type PrincipalSummary,
} from './principal-registry.ts';
export { createMemoryRecoveryNotes, noteRecoveries, openRecoveryNotes, type RecoveryNote, type RecoveryNotes } from './recovery-notes.ts';
export { createRoleExpander, type RoleExpander } from './role-expander.ts';
export { createMemoryRoleMemory, openRoleMemory } from './role-memory.ts';
export { createSecrets, type Secrets } from './secrets.ts';
export { openServerIdentity, type ServerIdentity } from './server-identity.ts';
export { createMemoryStateFile, openStateFile, type StateFile } from './state-file.ts';
export { vaultId, vaultStateDir } from './vault-state-dir.ts';
