import type { CallOptions, Transport } from './transport.ts';
import type { SuccessResponse } from './wire-types.ts';

interface ComparedMemory {
  readonly path: string;
  readonly slug: string;
  readonly title: string;
  readonly status: string;
}

/** Memories that contradict or repeat each other. */
export interface MemoryReport {
  readonly memories: number;
  readonly pairs: readonly {
    readonly kind: 'contradiction' | 'duplicate';
    readonly reason: 'opposed' | 'different_object' | 'same_statement' | 'near_equal_text' | 'similar_meaning';
    readonly similarity: number | null;
    readonly new: ComparedMemory;
    readonly existing: ComparedMemory;
    readonly conflict: string | null;
    readonly state: 'unrecorded' | 'pending' | 'resolved' | 'recorded' | 'reopened' | 'planned' | 'refused' | 'same_slug';
    readonly event_id?: string | undefined;
    readonly note?: string | undefined;
  }[];
  readonly pending: readonly {
    readonly conflict_id: string;
    readonly path: string;
    readonly new_slug: string;
    readonly existing_slug: string;
  }[];
  readonly meaning: string | null;
}

export interface ConflictResolution {
  readonly conflict_id: string;
  readonly path: string;
  readonly keep: 'new' | 'existing' | 'both';
  readonly dry_run: boolean;
  readonly steps: readonly {
    readonly path: string;
    readonly outcome: 'done' | 'already' | 'planned';
    readonly event_id?: string | undefined;
  }[];
}

export interface FeedbackOptions extends CallOptions {
  readonly comment?: string;
  /** The turn or step that it is about. */
  readonly record?: number;
  /** The same feedback under one key counts once; given, the request is repeated when its answer is lost. */
  readonly key?: string;
}

/** Care for what is remembered (§5.4, §11.5). */
export interface MemoryCalls {
  check(options?: CallOptions & { readonly record?: boolean; readonly dryRun?: boolean }): Promise<MemoryReport>;
  /** Ends a conflict, named by its id or path. */
  resolve(
    conflict: string,
    keep: 'new' | 'existing' | 'both',
    options?: CallOptions & { readonly dryRun?: boolean },
  ): Promise<ConflictResolution>;
  /** Records how good something was, from 0 (bad) to 1 (good). */
  feedback(subject: string, score: number, options?: FeedbackOptions): Promise<SuccessResponse>;
}

export const createMemoryCalls = (transport: Transport): MemoryCalls => {
  const post = <T>(path: string, body: Readonly<Record<string, unknown>>, repeatable: boolean, { signal }: CallOptions): Promise<T> =>
    transport.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      repeatable,
      signal,
    });
  return {
    check: (options = {}) => post('/v1/memory/check', { record: options.record, dry_run: options.dryRun }, true, options),
    resolve: (conflict, keep, options = {}) => post('/v1/memory/resolve', { conflict, keep, dry_run: options.dryRun }, true, options),
    feedback: (subject, score, options = {}) => {
      const { comment, record, key } = options;
      return post('/v1/feedback', { subject, score, comment, record, idempotency_key: key }, key !== undefined, options);
    },
  };
};
