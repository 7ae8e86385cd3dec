import type { EventStore, LeaseStore } from '#adapter-contracts';
import type { ExecuteContext, KernelResponse } from '#kernel';
import type { ContentStore, ProjectionView } from '#projections';

/** What the runtime needs of an open vault. Everything it changes goes through `execute` (§11.8). */
export interface RuntimeHost {
  readonly workspaceId: string;
  /** One envelope through the Operation Contract. */
  execute(envelope: unknown, context: ExecuteContext): Promise<KernelResponse>;
  /** The stored file, or null; throws for what cannot be read. */
  read(path: string): Promise<{ readonly hash: string; readonly text: string } | null>;
  readonly events: Pick<EventStore, 'findById' | 'findByIdempotencyKey' | 'replay' | 'cursorAfter' | 'lastRecorded'>;
  readonly leases: LeaseStore;
  readonly projections: ProjectionView;
  /** Contents of past versions. */
  readonly contents: Pick<ContentStore, 'find'>;
  now(): number;
  /** Why nothing may act by itself in this vault; null when it may. */
  mayNotAct(): string | null;
}
