import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '#adapter-contracts/testing';
import type { CanonicalEvent } from '#api';
import { initVault, openVault, vaultTrust } from '#open-vault';
import type { Executor } from '#runtime';
import { type Child, startChild, stoppingUnavailable } from '../crash/child-process.ts';
import { skipAloud } from '../crash/skip-aloud.ts';
import { vaultHands, workflow } from './runtime-vault.ts';

// The same code soaks for as long as it is left running; here a few seconds fit the budget.
const seconds = process.env.SHEAF_SOAK === undefined ? 8 : Number(process.env.SHEAF_SOAK_SECONDS ?? 600);
const seed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);

const start = (root: string, kind: 'daemon' | 'worker', index: number): Child =>
  startChild(`${kind}-${index}`, 'test/runtime/work-process.mjs', [root, kind, `${kind}-${index}`]);

/** Stops and kills daemons and workers at random; who died is replaced. */
const disturb = async (root: string, children: Child[], until: number, random: () => number): Promise<void> => {
  for (let turn = 0; Date.now() < until; turn += 1) {
    await pause(random() * 400);
    const index = Math.floor(random() * children.length);
    const child = children[index]!;
    if (random() < 0.5) {
      await child.stop();
      // Now and then for longer than its claim lives.
      await pause(random() < 0.4 ? 2500 : random() * 300);
      child.signal(random() < 0.2 ? 'SIGKILL' : 'SIGCONT');
    } else child.signal('SIGKILL');
    if (await Promise.race([child.ended.then(() => true), pause(30).then(() => false)])) {
      const kind = child.name.startsWith('daemon') ? 'daemon' : 'worker';
      children[index] = start(root, kind, 100 * (turn + 1) + index);
    }
  }
};

const typeOf = ({ payload, event_type: own }: CanonicalEvent): string =>
  typeof payload === 'object' && payload !== null && 'event_type' in payload ? String(payload.event_type) : own;

test.skipIf(skipAloud('stopped daemons', stoppingUnavailable()))(
  `daemons and workers that are stopped and killed at random make one task of each instant, and none is done twice (seed ${seed})`,
  async () => {
    const base = mkdtempSync(join(tmpdir(), 'sheaf-work-'));
    const root = join(base, 'vault');
    process.env.SHEAF_STATE_DIR = join(base, 'state');
    const children: Child[] = [];
    try {
      await initVault({ root, workspaceId: 'ws' });
      await vaultTrust({ root }).accept();
      const before = await openVault({ root });
      const { write } = vaultHands(before);
      const person = before.localPrincipal();
      const head = 'title: T\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\n';
      await write('roles/teller/ROLE.md', `---\ntype: role\nname: teller\n${head}permissions: ["write:event"]\n---\n`, person);
      await write('assistants/helper/ASSISTANT.md', `---\ntype: assistant\nname: helper\n${head}x_role: teller\n---\n`, person);
      const entry = (id: string, span: string) =>
        `type: interval\nid: ${id}\ninterval: ${span}\nmisfire_policy: catch_up\nconcurrency: allow_parallel`;
      await write('w.md', workflow('beats', [entry('one', '1s'), entry('two', '2s')], 'x_assistant: helper\nx_max_attempts: 90\n'), person);
      await before.close();

      for (const [kind, count] of [
        ['daemon', 3],
        ['worker', 5],
      ] as const)
        for (let index = 0; index < count; index += 1) children.push(start(root, kind, index));
      await Promise.all(children.map(child => child.hears((line: { ready?: string }) => line.ready !== undefined)));
      await disturb(root, children, Date.now() + seconds * 1000, seededRandom(seed));
      for (const child of children) child.signal('SIGKILL');
      await Promise.all(children.map(child => child.ended));

      // What is left is done by one who comes later, when every claim has ended.
      const ended = Date.now();
      const stop = await openVault({ root });
      await vaultHands(stop).submit({ type: 'patch', path: 'w.md', patches: { isActive: false } }, person);
      await stop.close();
      const executor: Executor = { kind: 'assistant', unready: async () => null, run: async () => ({ kind: 'succeeded', summary: '' }) };
      let ahead = 0;
      const clock = { now: () => new Date(Date.now() + ahead) };
      const later = await openVault({ root, clock, executors: [executor] });
      for (let look = 0; look < 3; look += 1) {
        // What was interrupted rests before its next try.
        ahead += 7_200_000;
        await later.work.runDue({ workers: 2 });
      }
      await checkWork(later, ended);
      await later.close();
    } finally {
      for (const child of children) child.signal('SIGKILL');
      rmSync(base, { recursive: true, force: true });
    }
  },
  seconds * 1000 + 240_000,
);

const checkWork = async (vault: Awaited<ReturnType<typeof openVault>>, ended: number): Promise<void> => {
  const { events, tasks, runs, data } = vaultHands(vault);
  const log = await events();
  const fired = log.filter(event => typeOf(event) === 'workflow_triggered').map(({ payload }) => payload as Record<string, string>);
  const instants = fired.map(({ trigger_id: trigger, scheduled_for: at }) => `${trigger} ${at}`);
  expect(new Set(instants).size).toBe(instants.length);
  const made = await tasks();
  expect(made).toEqual(fired.map(payload => payload['task_path']).toSorted());
  expect(made.length).toBeGreaterThan(5);
  // No instant was passed over between the first and the last that fired.
  for (const [trigger, span] of [
    ['one', 1000],
    ['two', 2000],
  ] as const) {
    const times = fired
      .filter(payload => payload['trigger_id'] === trigger)
      .map(payload => Date.parse(payload['scheduled_for']!))
      .toSorted((a, b) => a - b);
    expect(times).toEqual(Array.from({ length: times.length }, (_, index) => times[0]! + index * span));
    expect(times.at(-1)).toBeLessThanOrEqual(ended + span);
  }
  const succeeded = new Map<string, number>();
  for (const path of await runs()) {
    const run = await data(path);
    expect(['succeeded', 'retrying', 'failed'], path).toContain(run['status']);
    if (run['status'] === 'succeeded') succeeded.set(String(run['task_path']), (succeeded.get(String(run['task_path'])) ?? 0) + 1);
  }
  expect([...succeeded.values()].filter(count => count !== 1)).toEqual([]);
  expect([...succeeded.keys()].toSorted()).toEqual(made);
  for (const path of made) expect(await data(path), path).toMatchObject({ status: 'done' });
  checkFences(log);
};

/** Once a run was closed by somebody else, its worker wrote nothing any more: neither in its record nor anywhere else. */
const checkFences = (log: readonly CanonicalEvent[]): void => {
  const closed = new Set<string>();
  for (const event of log) {
    const run = event.subject.startsWith('effects/') ? (event.payload as { run: string }).run : event.subject;
    expect(closed.has(run), `${event.event_id} writes for ${run}, which had ended`).toBe(false);
    if (/^runs\//.test(event.subject) && event.changed_fields.includes('ended_at')) closed.add(event.subject);
  }
};
