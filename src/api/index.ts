export { type CanonicalEvent, type Lease, type Principal, type RecoveryReport, type Replayed, recordedState } from '#adapter-contracts';
export {
  localPrincipal,
  type NewPrincipal,
  type PrincipalRegistry,
  type PrincipalSummary,
  type RecoveryNote,
  readPrincipalFile,
  vaultStateDir,
} from '#identity';
export { type ExecuteContext, type FailureResponse, type KernelResponse, requestHash, type SuccessResponse } from '#kernel';
export { withoutGovernance } from '#policy';
export type { CausalNode, CausalTree, DriftRow, FileAccount, ReportedFile } from '#projections';
export type { Definition, Registry } from '#registry';
export { creditedPaths, formatRecord, type NewRecord, type ProvenanceEntry, type ProvenanceRole, recordProvenance } from '#semantic';
export type { AdoptionResult } from './adoption-result.ts';
export { localAgentPrincipal, namedAgentPrincipal } from './agent-principal.ts';
export { type Call, defineCall, parseInput, runCall } from './call.ts';
export { type CallName, calls } from './calls/all-calls.ts';
export { followEvents, mayFollowEvents, type OpenedFollow } from './calls/event-follow.ts';
export { createVault, type VaultParts } from './create-vault.ts';
export { readByteLines } from './exec/byte-lines.ts';
export { type ExecOptions, execEnvelopes } from './exec/exec-envelopes.ts';
export { type FailureBody, failureBody } from './exec/failure-body.ts';
export { readJsonItems } from './exec/json-items.ts';
export { JsonSyntaxError, parseStrictJson } from './exec/strict-json.ts';
export type { DocumentBlame, DocumentChange, DocumentDiff, PastVersion, UndoOptions, VaultHistory } from './history/vault-history.ts';
export type { DocumentLinks, LinkFixes, LinkReport, LinkWriter, MoveReport, VaultLinks } from './links/vault-links.ts';
export type { FoundEndpoint, ModelSummary, VaultExecutors, VaultMachine, VaultModels } from './machine/vault-machine.ts';
export type { ConflictResolution, Feedback, MemoryReport, VaultMemory } from './memory/vault-memory.ts';
export { readFrontmatter } from './read-frontmatter.ts';
export type { Caller } from './read-rights.ts';
export type { GraphReply, SearchHit, SearchOptions, SearchReply } from './search/vault-search.ts';
export type {
  AdoptOptions,
  CheckReport,
  CheckRow,
  DocumentEntry,
  EventQuery,
  FollowOptions,
  RecoverySummary,
  RegistryFiles,
  Vault,
  VaultActivity,
  VaultDocument,
  VaultNotice,
  VaultStatus,
} from './vault.ts';
export type { VaultWatch } from './watching/vault-watch.ts';
export { longestHookBody } from './webhooks/vault-hooks.ts';
export type { DaemonOptions } from './work/vault-work.ts';
