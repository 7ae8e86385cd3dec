import type { FieldIssue } from '#errors';

/** What became of one path that was to be adopted. */
export interface AdoptionResult {
  readonly path: string;
  readonly outcome: 'adopted' | 'unchanged' | 'refused' | 'needs_confirmation';
  readonly action: 'create' | 'replace' | 'delete' | null;
  readonly event_id?: string;
  readonly reason?: string;
  readonly problems?: readonly FieldIssue[];
}
