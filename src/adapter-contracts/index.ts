export type { AuthorizationRequest, AuthorizationVerdict, Authorizer } from './authorizer.ts';
export { type Clock, systemClock } from './clock.ts';
export { type Embedder, EmbedderUnavailableError, type EmbeddingPurpose } from './embedder.ts';
export {
  type CanonicalEvent,
  DuplicateEventError,
  type EventAction,
  type EventStore,
  type LastRecorded,
  type LogDamage,
  type Replayed,
  type ReplayOptions,
  UnknownAppendOutcomeError,
} from './event-store.ts';
export type { FileLocks, FileStat, FileSystem, OpenMode } from './file-system.ts';
export type { FileWatch, FileWatchListener, WatchFiles } from './file-watch.ts';
export { DuplicateKeyError, type IdempotencyRecord, type IdempotencyStore } from './idempotency-store.ts';
export type {
  CommitIntent,
  CommitScope,
  IntentJournal,
  IntentOutcome,
  LockedTarget,
  RecoveryReport,
  ResolveIntent,
} from './intent-journal.ts';
export {
  type LanguageModel,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
  type ModelTurn,
} from './language-model.ts';
export type { Lease, LeaseHolder, LeaseStore } from './lease-store.ts';
export { holdsLease, isLiveLease, leaseExpiry, leaseNotHeld, leaseTaken, renewedLease } from './lease-terms.ts';
export { assuranceLevels, type Principal, type PrincipalKind } from './principal.ts';
export type { ProjectionCoordinator } from './projection-coordinator.ts';
export { recordedState } from './recorded-state.ts';
export type { InvariantControl, RenderConvention, Renderer, RenderReply, RenderRequest } from './renderer.ts';
export type { ReconcilePhase, ResourceCoordinator, ResourceRequest } from './resource-coordinator.ts';
export type { StoredDocument } from './stored-document.ts';
export type { Expected, Vfs, VfsEntry } from './vfs.ts';
