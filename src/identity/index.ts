export { withFileLock } from './file-lock.ts';
export { localPrincipal } from './local-principal.ts';
export { writeFileDurably } from './machine-directory.ts';
export { readPrincipalFile } from './principal-file.ts';
export {
  createPrincipalRegistry,
  type NewPrincipal,
  openPrincipalRegistry,
  type PrincipalRegistry,
  type PrincipalStore,
  type PrincipalSummary,
} from './principal-registry.ts';
export { openRecoveryNotes, type RecoveryNote, type RecoveryNotes } from './recovery-notes.ts';
export { vaultId, vaultStateDir } from './vault-state-dir.ts';
export { verifyPrincipal } from './verify-principal.ts';
