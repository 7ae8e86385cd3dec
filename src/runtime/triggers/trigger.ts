import type { FrontmatterMap, Value } from '#document';
import type { Schedule } from '../schedule/schedule.ts';

export const triggerTypes = ['manual', 'cron', 'interval', 'event', 'webhook', 'file_change', 'condition'] as const;
export type TriggerType = (typeof triggerTypes)[number];

export const misfirePolicies = ['skip', 'run_once', 'catch_up'] as const;
export type MisfirePolicy = (typeof misfirePolicies)[number];

export const concurrencyPolicies = ['allow_parallel', 'skip_if_running', 'enqueue', 'replace'] as const;
export type ConcurrencyPolicy = (typeof concurrencyPolicies)[number];

/** A `workflow` or `trigger` document as it is stored. */
export interface RuntimeDocument {
  readonly path: string;
  /** `sha256:<hex>` of the stored bytes. */
  readonly hash: string;
  readonly data: FrontmatterMap;
}

/** A task template (§5.4 `workflow`). */
export interface Workflow {
  /** `workflow_id`, else `slug`, else the path (readings: triggers). */
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  readonly title: string;
  readonly priority: number;
  readonly active: boolean;
  /** What it says about who does the work and how often; its tasks say the same. */
  readonly handsOn: FrontmatterMap;
}

/** What makes a trigger fire (§11.8 Trigger Types). */
export type Selector =
  | { readonly type: 'manual' }
  /** The name under which this machine holds the secrets of its senders. */
  | { readonly type: 'webhook'; readonly secret: string }
  | { readonly type: 'cron' | 'interval'; readonly schedule: Schedule }
  | { readonly type: 'event' | 'file_change'; readonly subject: string | null; readonly match: ReadonlyMap<string, Value> }
  /** In CEL. */
  | { readonly type: 'condition'; readonly when: string };

/** One trigger of one workflow, from `triggers[]` or from a `trigger` document. */
export interface Trigger {
  readonly id: string;
  readonly workflow: Workflow;
  /** The document that defines it. */
  readonly path: string;
  readonly selector: Selector;
  /** False while the trigger is paused or its workflow is not active. */
  readonly active: boolean;
  readonly misfirePolicy: MisfirePolicy;
  readonly concurrency: ConcurrencyPolicy;
  /** An instant that lies back by more than this was missed; milliseconds. */
  readonly misfireGrace: number;
  /** What `target_params` of a `trigger` document hands to its tasks. */
  readonly params: Value;
}

/** Something about a workflow or trigger that keeps it from firing; it never stops the others. */
export interface TriggerFault {
  readonly path: string;
  /** Null when the document as a whole is at fault. */
  readonly triggerId: string | null;
  /** As a frontmatter path, such as `triggers[1].cron`. */
  readonly field: string;
  readonly reason: string;
}
