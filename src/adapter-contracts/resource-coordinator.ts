import type { EventAction } from './event-store.ts';

export type ReconcilePhase = 'dry_run' | 'commit' | 'finalize';

export interface ResourceRequest {
  readonly workspaceId: string;
  readonly path: string;
  readonly primitiveId: string;
  readonly action: EventAction;
  readonly operationId: string;
  readonly proposed: Readonly<Record<string, unknown>> | null;
}

/**
 * External effects of a document (a domain, a phone number). Every `prepare` that returned a token is followed by exactly one successful
 * `finalize` or one `reconcile` (§6.3); a `finalize` that throws is followed by `reconcile('finalize')`.
 */
export interface ResourceCoordinator {
  /** Reserves; null when this request needs no resource. */
  prepare(request: ResourceRequest): Promise<{ readonly token: unknown } | null>;
  finalize(request: ResourceRequest, token: unknown): Promise<void>;
  reconcile(request: ResourceRequest, token: unknown, phase: ReconcilePhase): Promise<void>;
}
