export { type Adoption, adoptionEnvelope } from './adoption-envelope.ts';
export type { DerivedProjection, DocumentProjection, EventProjection, FileChange } from './derived-projection.ts';
export { type DriftRow, type DriftSurvey, detectDrift, type SurveyMemory, surveyDrift } from './detect-drift.ts';
export { createFileCounter, type FileAccount, type ReportedFile, type ReportKind } from './file-account.ts';
export { findPendingConflict } from './pending-conflict.ts';
export { createProjectionCoordinator, type Projection, type ProjectionCursors } from './projection-coordinator.ts';
export { readStored, type ScannedFile, type ScanSource, scanFile, scanVault, vaultHash } from './scan-vault.ts';
export { type CausalNode, type CausalTree, traceEvents } from './trace-events.ts';
export type { Levelled, OnProjectionProgress, ProjectionDrift, ProjectionStatus, VaultProjections } from './vault-projections.ts';
