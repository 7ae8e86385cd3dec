import type { KernelResponse } from '#kernel';
import type { LinkWriter } from '../links/vault-links.ts';

/** One of the two memories of a finding. */
export interface ComparedMemory {
  readonly path: string;
  readonly slug: string;
  readonly title: string;
  readonly status: string;
}

/** Two memories that contradict or repeat each other, and what became of their conflict. */
export interface MemoryPair {
  readonly kind: 'contradiction' | 'duplicate';
  readonly reason: 'opposed' | 'different_object' | 'same_statement' | 'near_equal_text' | 'similar_meaning';
  readonly similarity: number | null;
  readonly new: ComparedMemory;
  readonly existing: ComparedMemory;
  /** The document that records the pair; null while there is none. */
  readonly conflict: string | null;
  /**
   * `unrecorded`; `pending` as it was already; `resolved` and nothing was said anew since; `recorded` or `reopened` just now; `planned` by a dry run; `refused`
   * with the reason; `same_slug`: both have one slug, which no conflict can name.
   */
  readonly state: 'unrecorded' | 'pending' | 'resolved' | 'recorded' | 'reopened' | 'planned' | 'refused' | 'same_slug';
  readonly event_id?: string;
  readonly note?: string;
}

export interface MemoryReport {
  /** How many memories are in force or proposed. */
  readonly memories: number;
  readonly pairs: readonly MemoryPair[];
  /** Every pending conflict of the vault, whoever recorded it. */
  readonly pending: readonly {
    readonly conflict_id: string;
    readonly path: string;
    readonly new_slug: string;
    readonly existing_slug: string;
  }[];
  /** Why nothing was compared by meaning, where a model is configured; null where it was, or where there is none. */
  readonly meaning: string | null;
}

export type Resolution = 'new' | 'existing' | 'both';

export interface ResolutionStep {
  readonly path: string;
  readonly outcome: 'done' | 'already' | 'planned';
  readonly event_id?: string;
}

export interface ConflictResolution {
  readonly conflict_id: string;
  readonly path: string;
  readonly keep: Resolution;
  readonly dry_run: boolean;
  readonly steps: readonly ResolutionStep[];
}

export interface Feedback {
  readonly subject: string;
  /** 0 (bad) to 1 (good); −1 for a thumb down. */
  readonly score: number;
  readonly comment?: string;
  /** The turn or step of a record that it is about. */
  readonly record?: number;
  /** Default: a random one. */
  readonly key?: string;
}

/** What became of one document's `feedback` block. */
export interface RolledUp {
  readonly path: string;
  readonly outcome: 'patched' | 'unchanged' | 'planned' | 'refused' | 'absent';
  readonly feedback: {
    readonly score: number;
    readonly positive: number;
    readonly negative: number;
    readonly samples: number;
    readonly last_feedback: string;
  };
  readonly event_id?: string;
  readonly reason?: string;
}

/** Care for what is remembered (§5.4 `conflict`, §11.4–§11.6). Reading trusts the caller; every change goes through the contract as the given principal. */
export interface VaultMemory {
  /** Pairs of memories that contradict or repeat each other; with a writer, their conflicts are recorded. */
  check(options?: { readonly record?: LinkWriter; readonly mayRead?: (type: string | null) => boolean }): Promise<MemoryReport>;
  /** Ends a conflict, named by its `conflict_id` or path: whatever is not kept is superseded. Throws the refusal of a step. */
  resolve(conflict: string, keep: Resolution, writer: LinkWriter): Promise<ConflictResolution>;
  /** Records one signal in the log (§11.5). */
  feedback(feedback: Feedback, writer: LinkWriter): Promise<KernelResponse>;
  /** Writes the rollup of all signals into the documents they are about, or that had a part in what they are about (§11.4). */
  rollUp(paths: readonly string[] | null, writer: LinkWriter): Promise<readonly RolledUp[]>;
}
