import { statedText } from '../rights/stated-text.ts';
import type { Execution, ExecutorDocument } from './executor.ts';

/** Why the documents that order some work count as from outside; what acts beyond the vault then waits for a person. */
export const outsideOf = ({ task, workflow }: Pick<Execution, 'task' | 'workflow'>): string[] =>
  [task, workflow].flatMap(document => (document === null || document.outside === null ? [] : [`${document.path}: ${document.outside}`]));

/** The setting that a task names, else its workflow. */
export const settingName = (key: string, task: ExecutorDocument, workflow: ExecutorDocument | null): string | null =>
  statedText(task.data, key) ?? statedText(workflow?.data, key);

/** Why programs and services of this machine do not work for a vault that it has not accepted. */
export const untrusted = (trusted: () => boolean): string | null =>
  trusted() ? null : 'this machine has not accepted this vault, so that it runs no programs and calls no services for it: `sheaf trust`';
