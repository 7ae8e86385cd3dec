import type {
  Authorizer,
  Clock,
  EventStore,
  IdempotencyStore,
  LeaseHolder,
  LeaseStore,
  Principal,
  ProjectionCoordinator,
  RecoveryReport,
  ResourceCoordinator,
  Vfs,
} from '#adapter-contracts';
import type { FrontmatterMap } from '#document';
import type { Registry } from '#registry';

/** The mechanics behind one workspace (§6.7). A workspace has its own VFS root, so that no workspace can reach another's documents. */
export interface WorkspaceAdapters {
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  /** Absent: whatever needs a lease is refused. */
  readonly leases?: LeaseStore;
  /** True where the host wants a lease although the type does not ask for one (§7). */
  leaseRequired?(path: string): boolean;
}

/**
 * Turns the pre-0.9 envelope field `actor.role` into a principal (§6.6). `readRole` reads the frontmatter of `roles/<role>/ROLE.md`, null when there
 * is none. Null = the role gives no rights. The kernel keeps its own id for the caller whatever the principal says.
 */
export type ConvertRole = (role: string, readRole: () => Promise<FrontmatterMap | null>) => Promise<Principal | null>;

/** What a host hands to `createKernel`. */
export interface KernelConfig {
  /** The fixed set of workspaces this kernel serves; any other id reads as empty and is refused at stage 5. */
  readonly workspaces: Readonly<Record<string, WorkspaceAdapters>> | ReadonlyMap<string, WorkspaceAdapters>;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  readonly projections?: ProjectionCoordinator;
  readonly resources?: ResourceCoordinator;
  readonly clock?: Clock;
  /** Accept `actor.role` when no principal is attached. Off by default; needs `convertRole`. */
  readonly pre09Roles?: boolean;
  readonly convertRole?: ConvertRole;
  /** Told about every leftover commit that was decided; what it throws is ignored. */
  onRecovery?(reports: readonly RecoveryReport[]): void;
}

/** What the host supplies beside the envelope, after authenticating the caller (§6.6). */
export interface ExecuteContext {
  readonly principal: unknown;
  /** The content hash the writer read; null = the document must not exist yet. Not part of the request hash. */
  readonly ifMatch?: string | null;
  readonly correlationId?: string;
  /** An event already in this workspace's log. */
  readonly causationId?: string;
  /** The request hash a person confirmed. */
  readonly confirmation?: string;
  /**
   * The claim under which the host acts (§7), on whatever path the envelope names: verified like a presented lease, and again before the commit, so that a
   * worker that lost its task writes nothing any more. Not part of the request hash. On its own target it is the lease that the path may need.
   */
  readonly fence?: LeaseHolder & { readonly target: string };
  /** Set by the host itself for what only the host may record. */
  readonly hostAction?: 'adopt' | 'undo' | 'webhook';
}
