import { afterAll, expect, test } from 'vitest';
import { parseDocument } from '#document';
import { readTriggers } from '../triggers/read-triggers.ts';
import { conditionChange } from './condition-change.ts';
import { createConditionEvaluator } from './condition-evaluator.ts';
import type { ConditionFacts } from './condition-facts.ts';

// Wide, so that a busy machine stops nothing that would end.
const evaluator = createConditionEvaluator({ limitMs: 2000 });
afterAll(() => evaluator.close());

const facts: ConditionFacts = {
  now: Date.parse('2026-05-16T08:30:00Z'),
  counts: { 'ssss:task': { total: 9, byStatus: { pending: 6, done: 3 } }, 'shop:bike': { total: 2, byStatus: {} } },
};

test.each([
  ["count('task', 'pending') > 5", true],
  ["count('ssss:task') == 9", true],
  ["count('shop:bike') == 2 && now.getHours() == 8", true],
  ["count('task', 'no such status') + count('nothing') == 0", true],
  ["count('__proto__') + count('task', 'constructor') == 0", true],
  ["count('task', 'done') > 5", false],
])('%s is %s', async (expression, value) => {
  expect(await evaluator.evaluate(expression, facts)).toEqual({ kind: 'value', value });
});

test.each([
  ['count("task")', /gives bigint, not true or false/],
  ['count(', /./],
  ['documents.task > 1', /./],
  ['', /./],
  ['x'.repeat(20_000), /longer than 10000/],
])('%s is an error with its reason, never false', async (expression, reason) => {
  expect(await evaluator.evaluate(expression, facts)).toEqual({ kind: 'error', reason: expect.stringMatching(reason) as string });
});

/** Nested macros: small to write, and slow without end. */
const endless = (() => {
  const list = `[${Array.from({ length: 60 }, (_, index) => index).join(',')}]`;
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  return `${names.map(name => `${list}.all(${name}, `).join('')}true${')'.repeat(names.length)}`;
})();

test('an expression that does not end is stopped and reported, and the next one is answered', async () => {
  const outcomes = await Promise.all([evaluator.evaluate(endless, facts), evaluator.evaluate('true', facts)]);
  expect(outcomes).toEqual([
    { kind: 'terminated', reason: 'stopped after 2000 ms' },
    { kind: 'value', value: true },
  ]);
});

test('a closed evaluator says so', async () => {
  const closed = createConditionEvaluator();
  await closed.close();
  expect(await closed.evaluate('true', facts)).toEqual({ kind: 'error', reason: 'the evaluator is closed' });
});

const parsed = parseDocument(
  '---\ntype: workflow\nname: w\nworkflow_id: w\ntriggers:\n  - type: condition\n    id: many\n    x_when: "count(\'task\') > 5"\n---\n',
);
const trigger = readTriggers({
  workflows: [{ path: 'w.md', hash: 'sha256:0', data: parsed.kind === 'document' ? parsed.document.data : {} }],
  triggers: [],
}).triggers[0]!;

test('only a change of the value is recorded, and all who see it record the same', () => {
  const never = { value: false, eventId: null };
  expect(conditionChange('ws', trigger, never, false)).toBeNull();
  const change = conditionChange('ws', trigger, never, true);
  expect(change).toEqual(conditionChange('ws', trigger, never, true));
  expect(JSON.parse(change!.content)).toEqual({
    event_type: 'workflow_condition_changed',
    workflow_id: 'w',
    trigger_id: 'many',
    value: true,
  });
});

test('each change has a key of its own, because it hangs on the one before', () => {
  const keys = [
    conditionChange('ws', trigger, { value: false, eventId: null }, true),
    conditionChange('ws', trigger, { value: true, eventId: 'e1' }, false),
    conditionChange('ws', trigger, { value: false, eventId: 'e2' }, true),
  ].map(envelope => envelope?.idempotency_key);
  expect(new Set(keys).size).toBe(3);
});
