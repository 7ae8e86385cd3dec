import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { reasonOf } from '#errors';
import type { ConditionFacts } from './condition-facts.ts';

/** What a condition said. One that failed or was stopped is never taken for false. */
export type ConditionResult =
  | { readonly kind: 'value'; readonly value: boolean }
  | { readonly kind: 'error'; readonly reason: string }
  | { readonly kind: 'terminated'; readonly reason: string };

export interface ConditionEvaluator {
  /** Evaluates one CEL expression. Never rejects. */
  evaluate(expression: string, facts: ConditionFacts): Promise<ConditionResult>;
  close(): Promise<void>;
}

const longestExpression = 10_000;

/**
 * Evaluates the conditions of triggers (§11.8 `condition`) in a thread that is ended when an expression takes longer than `limitMs` or more memory than
 * a condition can need. `count(type)` and `count(type, status)` count documents; `now` is the minute.
 *
 * @example await evaluator.evaluate("count('task', 'pending') > 5", facts) // { kind: 'value', value: true }
 */
export const createConditionEvaluator = ({ limitMs = 100 }: { readonly limitMs?: number } = {}): ConditionEvaluator => {
  let thread: Promise<Worker> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;

  const end = async (): Promise<void> => {
    const ending = thread;
    thread = null;
    await (await ending?.catch(() => null))?.terminate();
  };
  const ask = async (expression: string, facts: ConditionFacts): Promise<ConditionResult> => {
    if (closed) return { kind: 'error', reason: 'the evaluator is closed' };
    if (expression.length > longestExpression)
      return { kind: 'error', reason: `the expression is longer than ${longestExpression} characters` };
    try {
      thread ??= startThread();
      const answer = await answerOf(await thread, { expression, facts }, limitMs);
      if (answer === null || 'died' in answer) await end();
      if (answer === null) return { kind: 'terminated', reason: `stopped after ${limitMs} ms` };
      if ('died' in answer) return { kind: 'terminated', reason: answer.died };
      return 'value' in answer ? { kind: 'value', value: answer.value } : { kind: 'error', reason: answer.error };
    } catch (error) {
      await end();
      return { kind: 'error', reason: reasonOf(error) };
    }
  };
  return {
    evaluate(expression, facts) {
      const asked = turn.then(() => ask(expression, facts));
      turn = asked;
      return asked;
    },
    async close() {
      closed = true;
      await turn;
      await end();
    },
  };
};

/** Compiled code by the package's own name: sources and bundle have no file that a thread could run. */
const threadFile = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('sheaf/package.json')), 'dist/runtime/conditions/condition-worker.js');

const startThread = async (): Promise<Worker> => {
  const worker = new Worker(threadFile(), { resourceLimits: { maxOldGenerationSizeMb: 64 }, stdin: false });
  worker.unref();
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread for conditions ended before it began')));
  });
  worker.removeAllListeners('error').removeAllListeners('exit');
  // A thread that runs out of memory says so here; the question that killed it is told below.
  worker.on('error', () => undefined);
  return worker;
};

type Answer = { readonly value: boolean } | { readonly error: string } | { readonly died: string };

/** Null when the limit passed first. */
const answerOf = (worker: Worker, question: object, limitMs: number): Promise<Answer | null> =>
  new Promise(resolve => {
    const settle = (answer: Answer | null): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', fail).off('exit', exit);
      resolve(answer);
    };
    const fail = (error: Error): void => settle({ died: reasonOf(error) });
    const exit = (): void => settle({ died: 'the thread for conditions ended' });
    const timer = setTimeout(() => settle(null), limitMs);
    worker.on('message', settle).on('error', fail).on('exit', exit);
    worker.postMessage(question);
  });
