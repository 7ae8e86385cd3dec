import { type CanonicalEvent, type PrincipalKind, recordedState } from '#adapter-contracts';
import type { TriggerType } from '../triggers/trigger.ts';

/** Who wrote something, as far as it matters here. */
interface Author {
  readonly id: string;
  readonly kind: PrincipalKind;
}

/**
 * Why the text of a document counts as from outside (readings: rights of a run): null only when the log's last record of it holds exactly these
 * bytes and was written by a person. What the same assistant wrote in an earlier run is from outside, too: that run may have read anything.
 */
export const outsideReason = (document: {
  /** The event that last recorded the path; null when the log holds none. */
  readonly last: CanonicalEvent | null;
  /** `sha256:<hex>` of the bytes as read. */
  readonly hash: string;
}): string | null => {
  const { last, hash } = document;
  if (last === null) return 'the log does not say who wrote it';
  if (recordedState(last)?.hash !== hash) return 'it was changed outside the log';
  return writtenBy(last.principal);
};

/**
 * The same for the task of a run. The runtime itself writes tasks, and their text follows from the workflow alone; so it is asked who caused the
 * work. `trigger` is null for a task that nobody's trigger made; then `cause` is whoever wrote it.
 */
export const taskOutside = (task: { readonly trigger: TriggerType | null; readonly cause: Author | null }): string | null => {
  const { trigger, cause } = task;
  if (trigger === 'cron' || trigger === 'interval' || trigger === 'condition') return null;
  if (trigger === 'webhook') return 'a webhook caused it';
  return cause === null ? 'the log does not say who caused it' : writtenBy(cause);
};

const writtenBy = ({ id, kind }: Author): string | null => (kind === 'human' ? null : `${id} wrote it`);
