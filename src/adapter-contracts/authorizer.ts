import type { Definition } from '#registry';
import type { EventAction } from './event-store.ts';
import type { Principal } from './principal.ts';

/** What an authorizer may look at; derived by the kernel, never supplied by the client (§6.6). */
export interface AuthorizationRequest {
  readonly principal: Principal;
  readonly workspaceId: string;
  /** The target's type; null for `event` envelopes and `index.md`. */
  readonly definition: Definition | null;
  /** Qualified type: `definition.qualified`, `ssss:event`, or `ssss:index`. */
  readonly primitiveId: string;
  readonly action: EventAction;
  readonly path: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  /** The frontmatter as it would be stored; null for `event`, `delete` and `index.md`. */
  readonly proposed: Readonly<Record<string, unknown>> | null;
  /** The parsed payload of an `event` envelope, else null. */
  readonly payload: unknown;
  /** A request hash a person confirmed, supplied by the host beside the envelope. */
  readonly confirmation?: string;
  /** What the host itself is doing, set beside the envelope by the host alone: adopting a hand edit, or taking an event back, as its caller asked. */
  readonly hostAction?: 'adopt' | 'undo' | 'webhook';
}

export interface AuthorizationVerdict {
  readonly allowed: boolean;
  /** Says what is missing and how to get it; required when refused. */
  readonly reason?: string;
  readonly missing?: readonly string[];
}

/** Decides stage 5 for a complete, workspace-scoped principal (§6.6). Fails closed: a throw commits nothing. */
export interface Authorizer {
  authorize(request: AuthorizationRequest): Promise<AuthorizationVerdict>;
}
