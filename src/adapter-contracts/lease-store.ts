/** §7, field for field. Instants are ISO 8601. */
export interface Lease {
  readonly lease_id: string;
  readonly workspace_id: string;
  readonly target: string;
  readonly principal_id: string;
  readonly operation_id: string;
  readonly issued_at: string;
  readonly expires_at: string;
}

export interface LeaseHolder {
  readonly lease_id: string;
  readonly principal_id: string;
  readonly operation_id: string;
}

/**
 * Time-bound write claims (§7): at most one live lease per (workspace, target) across every writer. An expired lease is absent.
 * A refusal is `VaultError('lease_conflict')`; a wrong TTL `VaultError('invalid_request')`.
 */
export interface LeaseStore {
  /** `ttlSeconds`: finite, > 0, at most 86,400; default 60. The store chooses `lease_id`. */
  acquire(request: {
    readonly workspace_id: string;
    readonly target: string;
    readonly principal_id: string;
    readonly operation_id: string;
    readonly ttlSeconds?: number;
  }): Promise<Lease>;
  /** The live lease when all three of the holder's ids match, else throws. */
  verify(workspaceId: string, target: string, holder: LeaseHolder): Promise<Lease>;
  /** The live lease on the target, or null. */
  current(workspaceId: string, target: string): Promise<Lease | null>;
  /** Live lease by id, or null; lets a holder renew without naming the target. */
  find(leaseId: string): Promise<Lease | null>;
  renew(workspaceId: string, target: string, holder: LeaseHolder, ttlSeconds?: number): Promise<Lease>;
  release(workspaceId: string, target: string, holder: LeaseHolder): Promise<void>;
  list(workspaceId: string): Promise<readonly Lease[]>;
}
