import { envelopes, reads } from './contract-steps.ts';
import { governing } from './governing-steps.ts';
import { machine } from './machine-steps.ts';
import { careOfLinks, careOfMemory, meaning } from './meaning-steps.ts';
import { past } from './past-steps.ts';
import type { Step } from './step.ts';
import { leases, work } from './work-steps.ts';

/** What a user may ask, in the order in which it is asked of every surface. */
export const scenarioTable: readonly Step[] = [
  ...envelopes,
  ...reads,
  ...past,
  ...meaning,
  ...leases,
  ...work,
  ...governing,
  ...machine,
  ...careOfLinks,
  ...careOfMemory,
];
