export type {
  Authorizer,
  CanonicalEvent,
  Clock,
  EventStore,
  IdempotencyStore,
  IntentJournal,
  Lease,
  LeaseStore,
  Principal,
  ProjectionCoordinator,
  RecoveryReport,
  ResourceCoordinator,
  Vfs,
} from '#adapter-contracts';
export {
  type AdoptionResult,
  type Call,
  type Caller,
  type CallName,
  type CausalTree,
  type CheckReport,
  calls,
  type DocumentEntry,
  type DriftRow,
  type EventQuery,
  type PrincipalRegistry,
  type RecoverySummary,
  runCall,
  type Vault,
  type VaultDocument,
  type VaultNotice,
  type VaultStatus,
} from '#api';
export { createDocument, type Document, type ParsedFile, parseDocument, patchDocument } from '#document';
export { type ErrorCode, errorCodes, type FieldIssue, isVaultError, VaultError } from '#errors';
export { createKernel, type ExecuteContext, type Kernel, type KernelConfig, type KernelResponse } from '#kernel';
export {
  findVault,
  initVault,
  type MemoryVaultOptions,
  type OpenVaultOptions,
  openMemoryVault,
  openVault,
  type TrustReport,
  type VaultAdapters,
  vaultTrust,
  WorkspaceError,
  type WorkspaceErrorCode,
} from '#open-vault';
export {
  composeRegistry,
  type Definition,
  isRegistryError,
  loadCoreRegistry,
  parseExtension,
  type Registry,
  RegistryError,
} from '#registry';
