import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Vault } from '#api';
import { initVault, openVault } from '#open-vault';
import { type Child, startChild, stoppingUnavailable } from './child-process.ts';
import {
  type Answer,
  checkPromises,
  createHistory,
  eventsOf,
  type Request,
  remember,
  retryUnanswered,
  writerPrincipal,
} from './history.ts';
import { skipAloud } from './skip-aloud.ts';

// Only to end what hangs: a machine that does much else takes a hundred times as long.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

// Everything others wait for while the writer stands still; it stands still for longer.
const lockTimeoutMs = 250;
const target = 'rules/target.md';

/** Every place in a commit where something has just become true, or is about to, and what others wait for meanwhile. */
const points = [
  { point: 'before the path is locked', holds: 'nothing', committed: false },
  { point: 'before the intent is written', holds: 'path', committed: false },
  { point: 'after the intent is durable', holds: 'path', committed: false },
  { point: 'before the document is renamed', holds: 'path', committed: false },
  { point: 'after the document is renamed, before its name is durable', holds: 'path', committed: false },
  { point: 'between stage 9 and stage 10', holds: 'path', committed: false },
  { point: 'before the event is written', holds: 'log', committed: false },
  // A killed process takes nothing from the system's memory: what it wrote, it wrote. Until then nobody may believe it.
  { point: 'after the event is written, before it is synced', holds: 'log', committed: true },
  { point: 'after the event is durable', holds: 'log', committed: true },
  { point: 'after stage 10', holds: 'path', committed: true },
  { point: 'before the key is recorded', holds: 'nothing', committed: true },
  { point: 'before the answer is given', holds: 'nothing', committed: true },
] as const;

type Point = (typeof points)[number];
type Execute = (vault: Vault, request: Request) => Promise<Answer>;

const logTaken = 'Another process has held the lock of the event log';

const operation = (key: string, path: string, text: string): Request => ({
  type: 'operation',
  workspace_id: 'ws-crash',
  idempotency_key: key,
  path,
  content: `---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nname: R\n---\n${text}\n`,
});
const before = operation('before', target, 'what stood there before');
const halted = operation('halted', target, 'what the halted writer wants');

let base = '';
let vaults = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sheaf-point-'));
  process.env.SHEAF_STATE_DIR = join(base, 'state');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A vault, a writer that halts in it, and everything anybody sent. */
const halt = async ({ point }: Point, signal: NodeJS.Signals) => {
  vaults += 1;
  const root = join(base, `vault-${vaults}`);
  await initVault({ root, workspaceId: 'ws-crash' });
  const args = [root, point, signal, String(lockTimeoutMs), JSON.stringify(before), JSON.stringify(halted)];
  const child = startChild('halting', 'test/crash/point-writer.mjs', args);
  const history = createHistory();
  remember(history, 'halting', [{ try: before }, { try: halted }]);
  const execute: Execute = async (vault, request) => {
    const response = (await vault.execute(request, { principal: writerPrincipal('other') })) as Answer;
    remember(history, 'other', [{ try: request }, { done: request.idempotency_key, response }]);
    return response;
  };
  await child.hears((line: { halting?: string; missed?: boolean }) => line.halting === point || line.missed === true);
  expect(child.lines.at(-1), 'the writer reached the point').toEqual({ halting: point });
  return { root, child, history, execute };
};

const textOf = async (vault: Vault): Promise<string> => (await vault.read(target))?.text ?? '';

/** What others can do, and what they are told, while the writer stands still. */
const workBeside = async (vault: Vault, at: Point, execute: Execute): Promise<void> => {
  expect([before.content, halted.content], 'a reader sees a whole document').toContain(await textOf(vault));
  const feed = await eventsOf(vault).then(
    events => events.map(event => event.idempotency_key),
    (error: unknown) => String(error),
  );
  const [same, other] = await Promise.all([
    execute(vault, operation('same', target, 'what another writer wants')),
    execute(vault, operation('other', 'rules/other.md', 'elsewhere')),
  ]);
  if (at.holds === 'log') {
    // Who must look at the end of the log first, because the index has not caught up, has to wait for it as well.
    if (typeof feed === 'string') expect(feed).toContain(logTaken);
    else expect(feed, 'what is not durable is not shown').toEqual(['before']);
    expect([same.error?.code, other.error?.code].map(String)).toEqual([
      expect.stringMatching(/^(version_conflict|internal_error)$/),
      'internal_error',
    ]);
    for (const { error } of [same, other]) if (error?.code === 'internal_error') expect(error.message).toContain(logTaken);
    return;
  }
  expect(feed).toEqual(at.committed ? ['before', 'halted'] : ['before']);
  if (at.holds === 'nothing') expect(same, same.error?.message).toMatchObject({ success: true });
  else expect(same.error, 'the path is taken').toMatchObject({ code: 'version_conflict' });
  expect(other, other.error?.message).toMatchObject({ success: true });
};

const settle = async (child: Child): Promise<Answer> => {
  child.signal('SIGCONT');
  const { response } = (await child
    .hears((line: { response?: Answer; missed?: boolean }) => line.missed === false)
    .then(() => child.lines.findLast(line => typeof line === 'object' && line !== null && 'response' in line))) as { response: Answer };
  expect(await child.ended, child.errors()).toBe(0);
  return response;
};

describe.skipIf(skipAloud('writers halted in the middle of a commit', stoppingUnavailable()))(
  'a writer halted in the middle of a commit',
  () => {
    test.concurrent.each(points)('stopped $point, it keeps what it holds, and finishes when continued', async at => {
      const { root, child, history, execute } = await halt(at, 'SIGSTOP');
      try {
        await child.stopped();
        const vault = await openVault({ root, lockTimeoutMs });
        await workBeside(vault, at, execute);
        const response = await settle(child);
        // Others went ahead on what it had read: it must not go back on that.
        if (at.point === 'before the path is locked') expect(response.error).toMatchObject({ code: 'version_conflict' });
        else expect(response, response.error?.message).toMatchObject({ success: true });
        remember(history, 'halting', [{ done: 'halted', response }]);
        await checkPromises(history, vault);
        expect(await textOf(vault), 'nobody is overwritten').toBe(
          at.holds === 'nothing' ? operation('same', target, 'what another writer wants').content : halted.content,
        );
        await vault.close();
      } finally {
        child.signal('SIGKILL');
      }
    });

    test.concurrent.each(points)('stopped and then killed $point, it leaves a commit that is whole or absent', async at => {
      const { root, child, history, execute } = await halt(at, 'SIGSTOP');
      try {
        await child.stopped();
        const beside = await openVault({ root, lockTimeoutMs });
        await workBeside(beside, at, execute);
        child.signal('SIGKILL');
        expect(await child.ended).toBe('SIGKILL');
        await checkAfterDeath(beside, at, history);
        await beside.close();
      } finally {
        child.signal('SIGKILL');
      }
    });

    test.concurrent.each(points)('killed $point, it leaves a commit that is whole or absent', async at => {
      const { root, child, history } = await halt(at, 'SIGKILL');
      expect(await child.ended).toBe('SIGKILL');
      const vault = await openVault({ root, lockTimeoutMs });
      await checkAfterDeath(vault, at, history);
      await vault.close();
    });
  },
);

const checkAfterDeath = async (vault: Vault, { committed }: Point, history: ReturnType<typeof createHistory>): Promise<void> => {
  await vault.recover();
  const events = await checkPromises(history, vault);
  expect(events.some(event => event.idempotency_key === 'halted')).toBe(committed);
  await retryUnanswered(history, vault, events);
  await checkPromises(history, vault);
  expect(history.acknowledged.has('halted'), 'the retry commits, or replays').toBe(true);
  expect((await vault.recover()).in_flight).toEqual([]);
};
