export { type Adoption, adoptionEnvelope } from './adoption-envelope.ts';
export { openVaultProjections, type VaultProjectionsOptions } from './coordinator/open-vault-projections.ts';
export type { DerivedProjection, DocumentProjection, EventProjection, FileChange } from './derived-projection.ts';
export { type DriftSurvey, detectDrift, type SurveyMemory, surveyDrift, surveyPaths } from './detect-drift.ts';
export { createFileCounter, type FileAccount, type ReportedFile, type ReportKind } from './file-account.ts';
export {
  type ContentStore,
  collectContents,
  createFsContentStore,
  createMemoryContentStore,
  type DocumentVersion,
  documentVersion,
  type HistoryCollection,
  type HistoryLimit,
  keepingContents,
  memoryHistoryBytes,
  mostVersions,
  noProjections,
  readVersions,
  type VersionHistory,
} from './history/index.ts';
export type { DriftRow } from './inspect-drift.ts';
export { listSettled } from './list-settled.ts';
export { findPendingConflict } from './pending-conflict.ts';
export { createProjectionCoordinator, type Projection, type ProjectionCursors } from './projection-coordinator.ts';
export { readSettled } from './read-settled.ts';
export { readStored, type ScannedFile, type ScanSource, scanFile, scanVault, vaultHash } from './scan-vault.ts';
export { type CausalNode, type CausalTree, traceEvents } from './trace-events.ts';
export type { Levelled, OnProjectionProgress, ProjectionDrift, ProjectionStatus, VaultProjections } from './vault-projections.ts';
