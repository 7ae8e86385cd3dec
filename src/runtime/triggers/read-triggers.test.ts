import { expect, test } from 'vitest';
import { parseDocument } from '#document';
import { readTriggers } from './read-triggers.ts';
import type { RuntimeDocument } from './trigger.ts';

const document = (path: string, frontmatter: string): RuntimeDocument => {
  const parsed = parseDocument(`---\n${frontmatter}\n---\n`);
  if (parsed.kind !== 'document') throw new Error(`no document: ${JSON.stringify(parsed)}`);
  return { path, hash: `sha256:${'0'.repeat(64)}`, data: parsed.document.data };
};

const digest = document(
  'workflows/digest/WORKFLOW.md',
  'type: workflow\nname: Digest\nworkflow_id: digest\ntriggers:\n  - type: cron\n    id: daily\n    cron: "0 8 * * *"',
);

test('a trigger gets the defaults of the standard', () => {
  const { triggers, faults } = readTriggers({ workflows: [digest], triggers: [] });
  expect(faults).toEqual([]);
  expect(triggers).toMatchObject([
    {
      id: 'daily',
      active: true,
      misfirePolicy: 'run_once',
      concurrency: 'skip_if_running',
      misfireGrace: 60_000,
      selector: { type: 'cron' },
    },
  ]);
});

test('a standalone trigger names its workflow by path or by id, and is identified by slug or file name', () => {
  const { triggers, faults } = readTriggers({
    workflows: [digest],
    triggers: [
      document(
        'triggers/by-path.md',
        'type: trigger\nname: a\nsource: interval\ninterval: 1h\nstatus: active\ntarget_workflow: /workflows/digest/WORKFLOW.md',
      ),
      document('triggers/by-id.md', 'type: trigger\nname: b\nslug: other\nsource: manual\nstatus: paused\ntarget_workflow: digest'),
    ],
  });
  expect(faults).toEqual([]);
  expect(triggers.map(({ id, active, path }) => [id, active, path])).toEqual([
    ['by-path', true, 'triggers/by-path.md'],
    ['daily', true, 'workflows/digest/WORKFLOW.md'],
    ['other', false, 'triggers/by-id.md'],
  ]);
});

test('an entry without an id goes by its name, else by what it selects', () => {
  const flow = document(
    'workflows/w.md',
    'type: workflow\nname: w\nslug: w\ntriggers:\n  - type: cron\n    cron: "5 4 * * *"\n  - type: manual\n    name: hand\n  - type: webhook\n    x_secret: form\n  - type: event\n    event_type: paid',
  );
  const { triggers } = readTriggers({ workflows: [flow], triggers: [] });
  expect(triggers.map(({ id }) => id)).toEqual(['5 4 * * *', 'hand', 'paid', 'webhook']);
});

test('a workflow that is not active, or a trigger that is paused, does not count as active', () => {
  const flow = document('w.md', 'type: workflow\nname: w\nisActive: false\ntriggers:\n  - type: manual\n    id: a');
  const paused = document('v.md', 'type: workflow\nname: v\ntriggers:\n  - type: manual\n    id: a\n    status: paused');
  expect(readTriggers({ workflows: [flow, paused], triggers: [] }).triggers.map(({ active }) => active)).toEqual([false, false]);
});

test('policies of the workflow hold for entries that name none', () => {
  const flow = document(
    'w.md',
    'type: workflow\nname: w\nmisfire_policy: catch_up\nconcurrency: enqueue\ntriggers:\n  - type: manual\n    id: a\n  - type: manual\n    id: b\n    concurrency: replace',
  );
  expect(readTriggers({ workflows: [flow], triggers: [] }).triggers).toMatchObject([
    { misfirePolicy: 'catch_up', concurrency: 'enqueue' },
    { misfirePolicy: 'catch_up', concurrency: 'replace' },
  ]);
});

test.each([
  ['cron: "0 8 * *"', 'cron', /five fields/],
  ['cron: "0 8 * * *"\n    timezone: Mars/Olympus', 'timezone', /unknown time zone/],
  ['cron: 5', 'cron', /cron is a text/],
  ['x: 1', 'cron', /cron is missing/],
  ['cron: "0 8 * * *"\n    misfire_policy: sometimes', 'misfire_policy', /one of skip, run_once, catch_up/],
  ['cron: "0 8 * * *"\n    concurrency: both', 'concurrency', /one of allow_parallel/],
  ['cron: "0 8 * * *"\n    x_misfire_grace: soon', 'x_misfire_grace', /number of seconds/],
])('a broken entry (%s) is reported with its place and does not stop the others', (members, field, reason) => {
  const flow = document(
    'w.md',
    `type: workflow\nname: w\ntriggers:\n  - type: manual\n    id: good\n  - type: cron\n    id: bad\n    ${members}`,
  );
  const { triggers, faults } = readTriggers({ workflows: [flow, digest], triggers: [] });
  expect(triggers.map(({ id }) => id)).toEqual(['daily', 'good']);
  expect(faults).toEqual([
    { path: 'w.md', triggerId: 'bad', field: `triggers[1].${field}`, reason: expect.stringMatching(reason) as string },
  ]);
});

test.each([
  ['triggers: daily', 'triggers', /is a list/],
  ['triggers:\n  - daily', 'triggers[0]', /a map/],
  ['triggers:\n  - type: hourly\n    id: x', 'triggers[0].type', /one of manual, cron/],
  ['triggers:\n  - type: event\n    id: x', 'triggers[0].event_subject', /matches nothing/],
  ['triggers:\n  - type: file_change\n    id: x\n    event_match:\n      action: create', 'triggers[0].event_subject', /names its paths/],
  ['triggers:\n  - type: condition\n    id: x', 'triggers[0].x_when', /missing/],
  ['triggers:\n  - type: webhook\n    id: x', 'triggers[0].x_secret', /missing/],
])('%s is reported at its field', (members, field, reason) => {
  const { triggers, faults } = readTriggers({ workflows: [document('w.md', `type: workflow\nname: w\n${members}`)], triggers: [] });
  expect(triggers).toEqual([]);
  expect(faults).toMatchObject([{ field, reason: expect.stringMatching(reason) as string }]);
});

test('two workflows with one id are both reported and neither fires, whatever their order', () => {
  const twin = document('workflows/copy.md', 'type: workflow\nname: Copy\nslug: digest\ntriggers:\n  - type: manual\n    id: m');
  for (const workflows of [
    [digest, twin],
    [twin, digest],
  ]) {
    const { triggers, faults, workflows: left } = readTriggers({ workflows, triggers: [] });
    expect([triggers, left]).toEqual([[], []]);
    expect(faults.map(({ path }) => path)).toEqual(['workflows/copy.md', 'workflows/digest/WORKFLOW.md']);
    expect(faults[0]?.reason).toContain("share the id 'digest'");
  }
});

test('two triggers of a workflow with one id are both reported and neither fires', () => {
  const other = document('triggers/daily.md', 'type: trigger\nname: d\nsource: manual\nstatus: active\ntarget_workflow: digest');
  const { triggers, faults } = readTriggers({ workflows: [digest], triggers: [other] });
  expect(triggers).toEqual([]);
  expect(faults.map(({ path, triggerId }) => [path, triggerId])).toEqual([
    ['workflows/digest/WORKFLOW.md', 'daily'],
    ['triggers/daily.md', 'daily'],
  ]);
});

test('a trigger without a workflow that can fire is reported', () => {
  const lost = document('triggers/t.md', 'type: trigger\nname: t\nsource: manual\nstatus: active\ntarget_workflow: workflows/none.md');
  expect(readTriggers({ workflows: [digest], triggers: [lost] }).faults).toMatchObject([
    { path: 'triggers/t.md', field: 'target_workflow', reason: expect.stringContaining('workflows/none.md') as string },
  ]);
});
