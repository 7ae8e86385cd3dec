import type { ConcurrencyPolicy } from '../triggers/trigger.ts';

/**
 * What becomes of a firing while earlier work of the same trigger is active (§11.8 concurrency): `create` its task; `skip` it, which is recorded once
 * under the firing's own key; `wait`: create the task, claimable only when the earlier work has ended; `replace`: end the earlier work first.
 */
export type ConcurrencyDecision = 'create' | 'skip' | 'wait' | 'replace';

export const decideConcurrency = (policy: ConcurrencyPolicy, activeTasks: number): ConcurrencyDecision => {
  if (activeTasks === 0) return 'create';
  switch (policy) {
    case 'allow_parallel':
      return 'create';
    case 'skip_if_running':
      return 'skip';
    case 'enqueue':
      return 'wait';
    case 'replace':
      return 'replace';
  }
};
