import { v4 } from 'uuid';
import type {
  Authorizer,
  CanonicalEvent,
  Clock,
  CommitIntent,
  CommitScope,
  Principal,
  ProjectionCoordinator,
  ResourceCoordinator,
  ResourceRequest,
  StoredDocument,
} from '#adapter-contracts';
import type { ParsedFile } from '#document';
import type { Registry } from '#registry';
import type { Change } from './changes/change.ts';
import { type Envelope, type EnvelopeEcho, echoOf } from './envelope.ts';
import type { ConvertRole, ExecuteContext } from './kernel-config.ts';
import type { SuccessResponse } from './kernel-response.ts';
import type { Caller } from './read-caller.ts';
import type { Workspace } from './workspace.ts';

/** What every envelope of one kernel shares. */
export interface KernelParts {
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly projections: ProjectionCoordinator | null;
  readonly resources: ResourceCoordinator | null;
  /** Null unless pre-0.9 role compatibility is on. */
  readonly convertRole: ConvertRole | null;
}

/** A prepared external resource that still owes exactly one finalize or reconcile (§6.3). */
interface Reservation {
  readonly request: ResourceRequest;
  readonly token: unknown;
}

/** The path's commit lock is held and the intent is durable (§6.3). */
interface HeldCommit {
  readonly intent: CommitIntent;
  readonly scope: CommitScope;
}

/** One envelope on its way through the stages. Each stage reads what earlier stages set and sets its own part. */
export interface Attempt {
  readonly kernel: KernelParts;
  readonly input: unknown;
  readonly context: ExecuteContext;
  readonly echo: EnvelopeEcho;
  readonly operationId: string;

  /** Stage 1. */
  envelope: Envelope;
  caller: Caller;
  requestHash: string;
  /** Null for a workspace this kernel does not serve; it reads as empty until stage 5. */
  workspace: Workspace | null;

  /** Stage 3. */
  current: StoredDocument | null;
  before: ParsedFile | null;
  /** The log knows the path and the stored bytes are not what it recorded (readings: drift). */
  drifted: boolean;

  /** Stage 4. */
  change: Change;
  /** Qualified; for the failure response. */
  declaredType: string | null;
  /** Warnings raised before stage 9; the event keeps them. */
  readonly warnings: string[];

  /** Stage 5. */
  principal: Principal;

  /** Stage 7. */
  reservation: Reservation | null;

  /** Stages 9 and 10. */
  eventId: string;
  held: HeldCommit | null;
  /** Set at the commit point: from here on nothing may fail the envelope. */
  event: CanonicalEvent | null;
  /** Warnings of stages 11–13. */
  readonly lateWarnings: string[];
}

/** A step of the pipeline: throws `VaultError` to refuse, answers to end the run early, or lets the next stage go on. */
export type Stage = (attempt: Attempt) => Promise<SuccessResponse | undefined>;

const nobody: Principal = { id: '', kind: 'agent', workspaceIds: [], capabilities: [], authentication: { provider: '' } };
const noEnvelope: Envelope = { type: 'event', workspace_id: '', idempotency_key: '', path: '', dry_run: true, payload: null };
const noChange: Change = {
  action: 'event',
  definition: null,
  primitiveId: '',
  primitiveVersion: 0,
  after: null,
  afterHash: null,
  proposed: null,
  changedFields: [],
};

/** A fresh attempt. What stages have not set yet grants nothing and names nothing. */
export function startAttempt(kernel: KernelParts, input: unknown, context: ExecuteContext): Attempt {
  const echo = echoOf(input);
  return {
    kernel,
    input,
    context,
    echo,
    operationId: echo.operation_id ?? v4(),
    envelope: noEnvelope,
    caller: { id: '', attached: null, role: null },
    requestHash: '',
    workspace: null,
    current: null,
    before: null,
    drifted: false,
    change: noChange,
    declaredType: null,
    warnings: [],
    principal: nobody,
    reservation: null,
    eventId: '',
    held: null,
    event: null,
    lateWarnings: [],
  };
}

/** The workspace of an attempt that passed stage 5, which refuses unknown ones. */
export function boundWorkspace(attempt: Attempt): Workspace {
  if (attempt.workspace === null) throw new Error('stage 5 let an unknown workspace pass');
  return attempt.workspace;
}
