import type { FrontmatterMap, Value } from '#document';
import type { RunStep } from '../executors/executor.ts';
import { isoSeconds } from '../planning/firing.ts';
import { retryDelay } from './retry-delay.ts';
import type { RunStatus } from './run-record.ts';
import type { Task } from './task.ts';

/** How a try ends. */
export type Ending =
  | { readonly kind: 'succeeded'; readonly summary: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number }
  /** Its worker is gone. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'canceled'; readonly reason: string }
  | { readonly kind: 'waiting_for_human'; readonly question: string };

/** What an ending makes of the run: its last step, and what its frontmatter says from then on. */
export interface RunEnding {
  readonly step: RunStep;
  readonly patches: Readonly<Record<string, Value>>;
}

/** Pure: what is written depends on task, ending and the given instant alone. */
export const endRun = (task: Task, ending: Ending, now: number): RunEnding => {
  const ended = { ended_at: isoSeconds(now) };
  switch (ending.kind) {
    case 'succeeded':
      return { step: { name: 'finish', status: 'ok', text: ending.summary }, patches: { status: 'succeeded', ...ended } };
    case 'canceled':
      return {
        step: { name: 'cancel', status: 'failed', text: ending.reason },
        patches: { status: 'canceled', x_reason: line(ending.reason), ...ended },
      };
    case 'waiting_for_human':
      return {
        step: { name: 'ask', status: 'waiting', text: ending.question },
        patches: { status: 'waiting_for_human', x_question: ending.question.toWellFormed() },
      };
    case 'interrupted':
      return unsuccessful(task, { name: 'interrupted', reason: 'The worker was gone before it finished.', retry: true }, now);
    case 'failed':
      return unsuccessful(task, { name: 'finish', ...ending }, now);
  }
};

const unsuccessful = (
  task: Task,
  ending: { readonly name: string; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number },
  now: number,
): RunEnding => {
  const { name, reason, retry, retryAfterMs = 0 } = ending;
  const ended = { x_reason: line(reason), ended_at: isoSeconds(now) };
  const step: RunStep = { name, status: 'failed', text: reason };
  if (!retry) return { step, patches: { status: 'failed', ...ended } };
  if (task.attempts >= task.maxAttempts) {
    const last = { ...step, text: `${reason}\n\nThat was try ${task.attempts} of ${task.maxAttempts}: no other follows.` };
    return { step: last, patches: { status: 'dead_letter', ...ended } };
  }
  const next = now + Math.max(retryDelay(task.path, task.attempts), Math.min(Math.max(0, retryAfterMs), mostAskedDelayMs));
  return { step, patches: { status: 'retrying', x_next_attempt_at: isoSeconds(next), ...ended } };
};

/** A service may ask for a longer pause, within reason. */
const mostAskedDelayMs = 24 * 3_600_000;

/** What a run's last state makes of its task (§11.8 step 7); null while the run goes on. The way from the one to the other may be interrupted and gone again. */
export const taskAfter = (run: FrontmatterMap, now: number): Readonly<Record<string, Value>> | null => {
  const timestamp = { timestamp: isoSeconds(now) };
  const reason = typeof run['x_reason'] === 'string' ? run['x_reason'] : 'no reason was given';
  switch (run['status'] as RunStatus) {
    case 'succeeded':
      return { status: 'done', ...timestamp };
    case 'failed':
    case 'dead_letter':
    case 'canceled':
      return { status: 'failed', x_reason: reason, ...timestamp };
    case 'retrying':
      return { status: 'pending', next_attempt_at: run['x_next_attempt_at'] ?? isoSeconds(now), x_reason: reason, ...timestamp };
    case 'waiting_for_human':
      return { status: 'pending', x_waiting_for_human: run['x_question'] ?? 'a decision', x_decision: null, ...timestamp };
    default:
      return null;
  }
};

const longestLine = 500;

/** Frontmatter holds one line; the step keeps the whole text. */
const line = (text: string): string => {
  const whole = text.replace(/\s+/g, ' ').trim().toWellFormed() || 'no reason was given';
  return whole.length <= longestLine ? whole : `${whole.slice(0, longestLine).replace(/[\uD800-\uDBFF]$/, '')}…`;
};
