import { expect, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { parseDocument } from '#document';
import { readTriggers } from '../triggers/read-triggers.ts';
import type { RuntimeDocument, Trigger } from '../triggers/trigger.ts';
import { planFiring } from './plan-firing.ts';

const parsed = (text: string) => {
  const file = parseDocument(text);
  if (file.kind !== 'document') throw new Error(`no document: ${text}`);
  return file.document.data;
};

const trigger = (change: { readonly hash?: string; readonly id?: string; readonly title?: string } = {}): Trigger => {
  const { hash = `sha256:${'1'.repeat(64)}`, id = 'daily-digest', title = 'Daily digest' } = change;
  const document: RuntimeDocument = {
    path: 'workflows/daily-digest/WORKFLOW.md',
    hash,
    data: parsed(
      `---\ntype: workflow\nname: d\ntitle: ${JSON.stringify(title)}\nworkflow_id: ${JSON.stringify(id)}\ntriggers:\n  - type: cron\n    id: daily-0800\n    cron: "0 8 * * *"\n---\n`,
    ),
  };
  return readTriggers({ workflows: [document], triggers: [] }).triggers[0]!;
};

const eight = { kind: 'instant', at: Date.parse('2026-05-16T08:00:00Z') } as const;
const caused = (id: string): { readonly kind: 'event'; readonly event: CanonicalEvent } => ({
  kind: 'event',
  event: { event_id: id, timestamp: '2026-05-16T08:00:00.123Z', correlation_id: 'saga' } as CanonicalEvent,
});

test('a firing becomes one event and one task that names its basis', () => {
  const { event, task, taskPath, correlationId, causationId } = planFiring('ws', trigger(), eight);
  expect(taskPath).toBe('tasks/daily-digest/daily-0800-20260516T080000Z.md');
  expect(event).toMatchObject({
    type: 'event',
    path: 'workflows/daily-digest/WORKFLOW.md',
    idempotency_key: expect.stringMatching(/^runtime-fire-[0-9a-f]{64}$/) as string,
  });
  expect(JSON.parse(event.content)).toEqual({
    event_type: 'workflow_triggered',
    workflow_id: 'daily-digest',
    workflow_path: 'workflows/daily-digest/WORKFLOW.md',
    trigger_id: 'daily-0800',
    trigger_type: 'cron',
    scheduled_for: '2026-05-16T08:00:00Z',
    task_path: taskPath,
  });
  expect(parsed(task!.content)).toMatchObject({
    type: 'task',
    timestamp: '2026-05-16T08:00:00Z',
    status: 'pending',
    priority: 50,
    scheduled_for: '2026-05-16T08:00:00Z',
    dedupe_key: task!.idempotency_key,
    workflow_path: 'workflows/daily-digest/WORKFLOW.md',
  });
  expect(correlationId).toMatch(/^firing-[0-9a-f]{16}$/);
  expect(causationId).toBeNull();
});

test('whoever plans the same firing plans the same envelopes', () => {
  expect(planFiring('ws', trigger(), eight)).toEqual(planFiring('ws', trigger(), eight));
});

test('an edit of the workflow changes what is written, never the keys', () => {
  const before = planFiring('ws', trigger(), eight);
  const after = planFiring('ws', trigger({ hash: `sha256:${'2'.repeat(64)}` }), eight);
  expect(after.task?.content).not.toBe(before.task?.content);
  expect([after.task?.idempotency_key, after.event]).toEqual([before.task?.idempotency_key, before.event]);
});

test('workspace, workflow, trigger, instant and event each make another firing', () => {
  const keys = [
    planFiring('ws', trigger(), eight),
    planFiring('ws-2', trigger(), eight),
    planFiring('ws', trigger({ id: 'other' }), eight),
    planFiring('ws', trigger(), { kind: 'instant', at: eight.at + 60_000 }),
    planFiring('ws', trigger(), caused('e1')),
    planFiring('ws', trigger(), caused('e2')),
    planFiring('ws', trigger(), {
      kind: 'manual',
      at: eight.at,
      key: 'once',
      by: { id: 'local:ana', kind: 'human', capabilities: ['*:*'] },
    }),
  ].map(({ task }) => [task!.idempotency_key, task!.path].join());
  expect(new Set(keys).size).toBe(keys.length);
});

test('work that an event caused carries its id and joins its flow', () => {
  const { event, task, causationId, correlationId } = planFiring('ws', trigger(), caused('e1'));
  expect([causationId, correlationId]).toEqual(['e1', 'saga']);
  expect(JSON.parse(event.content)).toMatchObject({ trigger_event_id: 'e1' });
  expect(parsed(task!.content)).toMatchObject({ trigger_event_id: 'e1', causation_id: 'e1', scheduled_for: '2026-05-16T08:00:00.123Z' });
});

test('a skipped firing leaves one event under the key that its work would have had', () => {
  const made = planFiring('ws', trigger(), eight);
  const skipped = planFiring('ws', trigger(), eight, { skip: 'earlier work of this trigger is active' });
  expect(skipped.task).toBeNull();
  expect(skipped.event.idempotency_key).toBe(made.event.idempotency_key);
  expect(JSON.parse(skipped.event.content)).toMatchObject({ event_type: 'workflow_skipped' });
});

test('ids that are no file names keep different files', () => {
  const paths = ['a b', 'a  b', 'A b', '../../x', 'con', '日次'].map(id => planFiring('ws', trigger({ id }), eight).taskPath);
  expect(new Set(paths).size).toBe(paths.length);
  for (const path of paths) expect(path).toMatch(/^tasks\/[\p{L}\p{N}-]+\/daily-0800-20260516T080000Z\.md$/u);
});

test('nothing in a title breaks out of the link in the task', () => {
  const { task } = planFiring('ws', trigger({ title: 'x](http://evil) [y\n# z' }), eight);
  expect(task?.content).toContain('[x\\](http://evil) \\[y # z](/workflows/daily-digest/WORKFLOW.md)');
});
