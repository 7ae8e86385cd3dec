import type { Trigger, Workflow } from './trigger.ts';

/** What fires a workflow on request when it names no trigger of that type itself: every workflow may be invoked (§5.4). */
export const manualTrigger = (workflow: Workflow): Trigger => ({
  id: 'manual',
  workflow,
  path: workflow.path,
  selector: { type: 'manual' },
  active: workflow.active,
  misfirePolicy: 'run_once',
  concurrency: 'allow_parallel',
  misfireGrace: 0,
  params: null,
});
