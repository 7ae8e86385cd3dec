import type { KernelResponse } from '#api';
import { errorStatuses } from '#errors';

/** §6.5: 201 for a commit; 200 for a replay, a dry run, and what was there already. */
export const responseStatus = (response: KernelResponse): number => {
  if (!response.success) return errorStatuses[response.error.code];
  return response.committed_at !== null && response.replay !== true ? 201 : 200;
};
