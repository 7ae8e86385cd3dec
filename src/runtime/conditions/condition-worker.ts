// A thread of its own, because nothing else can stop an expression that runs for too long.
import { parentPort } from 'node:worker_threads';
import { Environment } from '@marcbachmann/cel-js';
import type { ConditionFacts } from './condition-facts.ts';

let facts: ConditionFacts = { now: 0, counts: {} };

const countsOf = (type: string) => {
  const name = Object.hasOwn(facts.counts, type) ? type : `ssss:${type}`;
  return Object.hasOwn(facts.counts, name) ? facts.counts[name] : undefined;
};

const environment = new Environment({ limits: { maxAstNodes: 2000, maxDepth: 64 } })
  .registerVariable('now', 'google.protobuf.Timestamp')
  .registerFunction('count(string): int', (type: string) => BigInt(countsOf(type)?.total ?? 0))
  .registerFunction('count(string, string): int', (type: string, status: string) => {
    const statuses = countsOf(type)?.byStatus ?? {};
    return BigInt(Object.hasOwn(statuses, status) ? (statuses[status] ?? 0) : 0);
  });

const evaluate = (expression: string): { readonly value: boolean } | { readonly error: string } => {
  try {
    const value: unknown = environment.evaluate(expression, { now: new Date(facts.now) });
    return typeof value === 'boolean' ? { value } : { error: `the expression gives ${typeof value}, not true or false` };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

parentPort?.on('message', (question: { readonly expression: string; readonly facts: ConditionFacts }) => {
  facts = question.facts;
  parentPort?.postMessage(evaluate(question.expression));
});
parentPort?.postMessage('ready');
