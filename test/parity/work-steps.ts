import { operation, type Step, step, submit } from './step.ts';

export const leases: readonly Step[] = [
  step('a lease', 'person', 'lease.acquire', { target: 'rules/a.md', operation_id: 'op-1', ttl_seconds: 600 }, 'done'),
  step('a lease that is taken', 'person', 'lease.acquire', { target: 'rules/a.md', operation_id: 'op-2' }, 'lease_conflict'),
  step('a lease without the right', 'clerk', 'lease.acquire', { target: 'rules/a.md', operation_id: 'op-3' }, 'forbidden'),
  step('a lease of a path outside', 'person', 'lease.acquire', { target: '../a.md', operation_id: 'op-3' }, 'invalid_request'),
  step('the leases', 'person', 'lease.list', {}, 'done'),
  step("no leases of one's own", 'clerk', 'lease.list', {}, 'done'),
  step(
    'a renewal',
    'person',
    'lease.renew',
    given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-1', ttl_seconds: 900 }),
    'done',
  ),
  step(
    'a renewal by another operation',
    'person',
    'lease.renew',
    given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-9' }),
    'lease_conflict',
  ),
  step('a release', 'person', 'lease.release', given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-1' }), 'done'),
  step(
    'a second release',
    'person',
    'lease.release',
    given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-1' }),
    'lease_conflict',
  ),
];

const job = (title: string): string =>
  `---\ntype: task\ntitle: ${title}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\npriority: 50\ncategory: parity\nstatus: pending\n---\n`;
const flow =
  '---\ntype: workflow\ntitle: W\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: W\nworkflow_id: parity\nisActive: true\ntriggers:\n  - type: cron\n    id: never\n    cron: "0 0 30 2 *"\n---\n';
const held = (given: (step: string) => Readonly<Record<string, unknown>>, claim: string) => ({
  task: given(claim).task_path,
  lease_id: given(claim).lease_id,
  operation_id: given(claim).operation_id,
});

export const work: readonly Step[] = [
  submit('a workflow', operation('w1', 'workflows/parity/WORKFLOW.md', flow), 'done'),
  submit('a task', operation('w2', 'tasks/one.md', job('One')), 'done'),
  submit('another task', operation('w3', 'tasks/two.md', job('Two')), 'done'),
  step('a firing', 'person', 'workflow.fire', { workflow: 'parity', key: 'fire-1' }, 'done'),
  step('the same firing', 'person', 'workflow.fire', { workflow: 'workflows/parity/WORKFLOW.md', key: 'fire-1' }, 'done'),
  step('a firing without the right', 'clerk', 'workflow.fire', { workflow: 'parity', key: 'fire-2' }, 'forbidden'),
  step('a firing of nothing', 'person', 'workflow.fire', { workflow: 'none', key: 'fire-3' }, 'not_found'),
  step(
    'a firing of a broken trigger',
    'person',
    'workflow.fire',
    { workflow: 'parity', trigger: 'never', key: 'fire-4' },
    'invalid_request',
  ),
  step('the runtime', 'person', 'runtime.status', {}, 'done'),
  step('the runtime without the right', 'clerk', 'runtime.status', {}, 'forbidden'),
  step('a claim', 'person', 'task.claim', { task: 'tasks/one.md', worker: 'w', ttl_seconds: 600 }, 'done'),
  step('a claim of what is claimed', 'person', 'task.claim', { task: 'tasks/one.md', worker: 'w2' }, 'lease_conflict'),
  step('a claim by nobody', 'nobody', 'task.claim', { task: 'tasks/two.md', worker: 'w' }, 'unauthorized'),
  step('a claim of nothing', 'person', 'task.claim', { task: 'tasks/none.md', worker: 'w' }, 'not_found'),
  step('a report', 'person', 'task.step', given => ({ ...held(given, 'a claim'), text: 'Did it.', name: 'do' }), 'done'),
  step(
    'a report under another operation',
    'person',
    'task.step',
    given => ({ ...held(given, 'a claim'), operation_id: 'x', text: 'No.' }),
    'lease_conflict',
  ),
  step('a report by somebody else', 'clerk', 'task.step', given => ({ ...held(given, 'a claim'), text: 'No.' }), 'lease_conflict'),
  step('an end', 'person', 'task.finish', given => ({ ...held(given, 'a claim'), status: 'done', text: 'All of it.' }), 'done'),
  step('the end again', 'person', 'task.finish', given => ({ ...held(given, 'a claim'), status: 'done', text: 'All of it.' }), 'done'),
  step('another end', 'person', 'task.finish', given => ({ ...held(given, 'a claim'), status: 'failed' }), 'lease_conflict'),
  step('the tasks that are done', 'person', 'task.list', { status: 'done' }, 'done'),
  step('the tasks without the right', 'clerk', 'task.list', {}, 'forbidden'),
  step('the runs', 'person', 'run.list', { task: 'tasks/one.md' }, 'done'),
  step('the runs without the right', 'clerk', 'run.list', {}, 'forbidden'),
  step('a run', 'person', 'run.show', { run: 'runs/one/1/RUN.md' }, 'done'),
  step('a run that is none', 'person', 'run.show', { run: 'tasks/one.md' }, 'not_found'),
  step('a second claim', 'clerk', 'task.claim', { task: 'tasks/two.md', worker: 'w', ttl_seconds: 600 }, 'done'),
  step(
    'a question',
    'clerk',
    'task.finish',
    given => ({ ...held(given, 'a second claim'), status: 'waiting_for_human', text: 'May I?' }),
    'done',
  ),
  step('a decision of an agent', 'clerk', 'task.decide', { task: 'tasks/two.md', approve: true, reason: 'Yes.' }, 'forbidden'),
  step('a decision', 'person', 'task.decide', { task: 'tasks/two.md', approve: true, reason: 'Yes.' }, 'done'),
  step('a decision too much', 'person', 'task.decide', { task: 'tasks/two.md', approve: true, reason: 'Yes.' }, 'version_conflict'),
  step('an end by force', 'person', 'task.cancel', { task: 'tasks/two.md', reason: 'No longer.' }, 'done'),
  step('an end by force without the right', 'clerk', 'task.cancel', { task: 'tasks/one.md' }, 'forbidden'),
];
