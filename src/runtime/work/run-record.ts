import { createDocument, hashContent, parseRecords } from '#document';
import type { RunStep } from '../executors/executor.ts';
import { isoSeconds } from '../planning/firing.ts';
import type { Task } from './task.ts';

const runStatuses = [
  'queued',
  'claimed',
  'running',
  'waiting_for_human',
  'succeeded',
  'failed',
  'canceled',
  'retrying',
  'dead_letter',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** States in which somebody is, or should be, at work. */
export const openRunStatuses: ReadonlySet<string> = new Set<RunStatus>(['queued', 'claimed', 'running']);

/** Where the record of one try stands: beside nothing else, and the same for everybody who asks. */
export const runPathOf = (taskPath: string, number: number): string => {
  const name = taskPath.replace(/^tasks\//, '').replace(/\.md$/, '');
  return `runs/${name}/${number}/RUN.md`;
};

/** The text of a new run record (§5.4 `run`). */
export const newRunText = (
  task: Task,
  about: { readonly workspaceId: string; readonly number: number; readonly attempt: number; readonly worker: string; readonly now: number },
): string => {
  const { workspaceId, number, attempt, worker, now } = about;
  const title = `${task.title ?? task.path}, try ${number}`;
  const digest = hashContent(JSON.stringify([workspaceId, task.path, number])).slice('sha256:'.length);
  return createDocument(
    {
      type: 'run',
      title,
      description: `What happened in try ${number} at '${task.path}'.`,
      timestamp: isoSeconds(now),
      run_id: `run-${digest.slice(0, 16)}`,
      workflow_id: task.workflowId ?? task.path,
      workspace_id: workspaceId,
      task_path: task.path,
      status: 'claimed',
      step_count: 0,
      started_at: isoSeconds(now),
      claimed_by: worker,
      x_attempt: attempt,
    },
    '\n',
  );
};

/** How many steps a body holds. */
export const stepsIn = (body: string): number => parseRecords(body).filter(({ kind }) => kind === 'step').length;

/**
 * One step as it is appended to a run (§5.3, §11.4). Nothing in a step can end it early: lines of its text that would begin another record are written so
 * that they do not.
 */
export const stepText = (number: number, step: RunStep, now: number): string => {
  const lines = [`### step ${number} — ${oneLine(step.name)} — ${isoSeconds(now)} — ${step.status}`, withoutRecords(step.text)];
  if (step.provenance !== undefined && step.provenance.length > 0)
    lines.push(
      '',
      `Provenance: ${step.provenance.map(path => `[${linkText(path)}](/${path.split('/').map(encodeURIComponent).join('/')})`).join(', ')}`,
    );
  return `\n${lines.join('\n').trimEnd()}\n`;
};

const longestName = 120;

const oneLine = (name: string): string =>
  name
    .replace(/[\s\p{Cc}—]+/gu, ' ')
    .trim()
    .slice(0, longestName) || 'step';

const longestText = 100_000;

/** A fence that is left open would take in the steps that follow, and a heading would be one. */
const withoutRecords = (text: string): string => {
  const bounded = text.length <= longestText ? text : `${text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, '')}\n\n(cut here)`;
  const safe = bounded
    .toWellFormed()
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(/(?<![^\n])(\s{0,3})### /g, '$1\\### ')
    .replace(/(?<![^\n])(<{7}|={7}|>{7})/g, '\\$1');
  const fences = safe.match(/(?<![^\n])\s{0,3}(?:`{3,}|~{3,})/g) ?? [];
  return fences.length % 2 === 0 ? safe : safe.replace(/(?<![^\n])(\s{0,3})(`{3,}|~{3,})/g, '$1\\$2');
};

const linkText = (path: string): string => path.replace(/[\\[\]`<>*_]/g, '\\$&');
