import { type ErrorCode, errorStatuses } from '#errors';

/** The status of a response: 201 for a commit, 200 for a replay, a dry run or no change. */
export const statusOf = (outcome: string): number | null => {
  if (outcome === 'commit') return 201;
  if (['replay', 'dry_run', 'unchanged'].includes(outcome)) return 200;
  return Object.hasOwn(errorStatuses, outcome) ? errorStatuses[outcome as ErrorCode] : null;
};
