export { type Adoption, adoptionEnvelope } from './adoption-envelope.ts';
export { openVaultProjections } from './coordinator/open-vault-projections.ts';
export type { DerivedProjection, DocumentProjection, EventProjection, FileChange } from './derived-projection.ts';
export { detectDrift, type SurveyMemory, surveyDrift, surveyPaths } from './detect-drift.ts';
export { createFileCounter, type FileAccount, type ReportedFile, type ReportKind } from './file-account.ts';
export { eventGraph } from './graph/event-graph.ts';
export { listSessions, type Session, type SessionPage, type SessionQuery } from './graph/list-sessions.ts';
export { traceByGraph } from './graph/trace-by-graph.ts';
export {
  type ContentStore,
  collectContents,
  createFsContentStore,
  createHistoryKeeper,
  createMemoryContentStore,
  type DocumentVersion,
  documentVersion,
  type GitHistoryControl,
  type HistoryCollection,
  type HistoryKeeper,
  mostVersions,
  noProjections,
  readVersions,
  type VersionHistory,
} from './history/index.ts';
export type { DriftRow } from './inspect-drift.ts';
export { listSettled } from './list-settled.ts';
export { findPendingConflict } from './pending-conflict.ts';
export { createProjectionCoordinator, type Projection } from './projection-coordinator.ts';
export { readSettled } from './read-settled.ts';
export { readSaved, readStored, type ScannedFile, type ScanSource, scanBytes, scanFile, scanVault } from './scan-vault.ts';
export type { CausalNode, CausalTree } from './trace-events.ts';
export type { Levelled, ProjectionDrift, ProjectionStatus, ProjectionView, VaultProjections } from './vault-projections.ts';
