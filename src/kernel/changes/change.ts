import type { EventAction } from '#adapter-contracts';
import type { Definition } from '#registry';

/** What stage 4 decided an envelope would do (§6.2). */
export interface Change {
  readonly action: EventAction;
  /** Null for `event` envelopes and `index.md`. */
  readonly definition: Definition | null;
  readonly primitiveId: string;
  readonly primitiveVersion: number;
  /** The bytes to store; null when nothing will stand at the path, and for `event`. */
  readonly after: Uint8Array | null;
  readonly afterHash: string | null;
  /** The frontmatter as it would be stored; null for `event`, `delete` and `index.md`. */
  readonly proposed: Readonly<Record<string, unknown>> | null;
  /** Sorted keys of a patch; empty otherwise. */
  readonly changedFields: readonly string[];
}
