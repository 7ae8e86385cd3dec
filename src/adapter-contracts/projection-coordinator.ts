import type { CanonicalEvent } from './event-store.ts';

/** Keeps derived read models level with the log (§10). Runs after the commit point; a failure becomes a warning. */
export interface ProjectionCoordinator {
  /**
   * At-least-once, idempotent. Rejects with an error that names the projection. `after` is the committed document, null when removed or when the
   * event touches none; `before` the one it took the place of, null when there was none.
   */
  dispatch(event: CanonicalEvent, after: Uint8Array | null, before?: Uint8Array | null): Promise<void>;
  /** Brings a projection level from its cursor, or from nothing with `rebuild`. */
  replay(id: string, options: { readonly rebuild: boolean }): Promise<void>;
  /** True when the projection's recorded hash differs from `hash`. */
  detectDrift(id: string, hash: string): Promise<boolean>;
}
