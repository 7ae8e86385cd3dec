import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openFsStore } from '#stores/fs';
import { startChild } from './child-process.ts';

// Only to end what hangs.
vi.setConfig({ testTimeout: 600_000 });

const writers = 3;
const eventsEach = 300;

/** What is wrong with a log after several processes appended to it at once; null when it holds what it must. */
const breachAfter = async (how: 'locked' | 'unlocked'): Promise<string | null> => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-unlocked-'));
  try {
    await (await openFsStore({ root, workspaceId: 'ws-acme' })).close();
    const children = Array.from({ length: writers }, (_, index) =>
      startChild(`w${index}`, 'test/crash/log-writer.mjs', [root, `w${index}`, String(eventsEach), how]),
    );
    const ends = await Promise.all(children.map(({ ended }) => ended));
    if (ends.some(end => end !== 0)) return `a writer ended with ${ends.join(', ')}: ${children.map(child => child.errors()).join('\n')}`;
    const said = children.map(({ lines }) => lines[0] as { acknowledged: string[]; failures: string[] });
    const failure = said.flatMap(({ failures }) => failures)[0];
    if (failure !== undefined) return failure;
    const store = await openFsStore({ root, workspaceId: 'ws-acme' });
    try {
      const found = new Set<string>();
      for await (const { event } of store.events.replay()) found.add(event.event_id);
      const lost = said.flatMap(({ acknowledged }) => acknowledged).filter(id => !found.has(id));
      if (lost.length > 0) return `${lost.length} acknowledged events are lost`;
      const [damage] = await store.events.damage();
      return damage === undefined ? null : `${damage.reason} at byte ${damage.offset}`;
    } finally {
      await store.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

test('processes that append at once lose nothing', async () => {
  expect(await breachAfter('locked')).toBeNull();
});

test('without the lock of the log they do, and this test would see it', async () => {
  let breach: string | null = null;
  for (let round = 0; round < 10 && breach === null; round += 1) breach = await breachAfter('unlocked');
  expect(breach, 'ten rounds without the lock broke nothing').not.toBeNull();
});
