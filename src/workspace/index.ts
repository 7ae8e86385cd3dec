export { cautiousRegistry } from './cautious-registry.ts';
export { findVault } from './find-vault.ts';
export { type InitOptions, ignoredByGit, initWorkspace } from './init-workspace.ts';
export { loadWorkspace, type Workspace } from './load-workspace.ts';
export { createWorkspaceRegistryFiles, type WorkspaceRegistryFiles } from './registry-files.ts';
export { openVaultTrust, type VaultTrust } from './vault-trust.ts';
export { WorkspaceError, type WorkspaceErrorCode, workspaceErrorCodes } from './workspace-error.ts';
export { specVersion, type WorkspaceFile } from './workspace-file.ts';
export { type WorkspaceFinding, workspaceFindings } from './workspace-findings.ts';
