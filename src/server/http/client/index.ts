export { ConflictError, SheafError } from './client-error.ts';
export { createClient, type SheafClient } from './create-client.ts';
export type { DocumentCalls, ListOptions, UpdateOptions, WriteOptions } from './document-calls.ts';
export type { EnvelopeCalls, SubmitOptions } from './envelope-calls.ts';
export type { EventCalls, EventPage } from './event-calls.ts';
export type { EventQuery, FollowOptions } from './event-stream.ts';
export type { LeaseCalls, LeaseTerms } from './lease-calls.ts';
export type { DocumentLinks, LinkCalls, LinkFixes, LinkMention, LinkProblem, LinkReport, MoveReport } from './link-calls.ts';
export type { ConflictResolution, FeedbackOptions, MemoryCalls, MemoryReport } from './memory-calls.ts';
export type { BlamedLines, DocumentBlame, DocumentChange, DocumentDiff, PastCalls, PastVersion, UndoOptions } from './past-calls.ts';
export { redeemLink } from './redeem-link.ts';
export type { FacetCount, GraphReply, SearchCalls, SearchHit, SearchOptions, SearchReply } from './search-calls.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type {
  CanonicalEvent,
  CausalTree,
  Document,
  DocumentEntry,
  Envelope,
  EnvelopeResponse,
  ErrorCode,
  FailureResponse,
  FieldIssue,
  Json,
  Lease,
  Principal,
  SuccessResponse,
} from './wire-types.ts';
export type { Firing, StepOptions, TaskClaim, TaskState, WorkCalls } from './work-calls.ts';
