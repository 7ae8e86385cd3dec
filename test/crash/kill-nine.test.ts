import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { startChild } from './child-process.ts';
import { checkPromises, createHistory, type History, remember, retryUnanswered } from './history.ts';

// The same code soaks for as long as it is left running; here a few rounds fit the budget.
const rounds = process.env.SHEAF_SOAK ? Number(process.env.SHEAF_SOAK_ROUNDS ?? 500) : 5;
const writers = 3;
const startSeed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);

/** Runs writers against `root` and kills them all without warning; notes what they tried and what they were told. */
const runAndKill = async (root: string, seed: number, history: History): Promise<void> => {
  const children = Array.from({ length: writers }, (_, index) =>
    startChild(`w${index}`, 'test/crash/writer.mjs', [root, `w${index}`, String(seed + index)]),
  );
  try {
    await Promise.all(children.map(child => child.hears((line: { done?: string }) => line.done !== undefined)));
    await pause((seed * 7919) % 400);
  } finally {
    for (const child of children) child.signal('SIGKILL');
  }
  for (const child of children) {
    expect(await child.ended, `${child.name} ended by itself: ${child.errors()}`).toBe('SIGKILL');
    remember(history, child.name, child.lines);
  }
};

test(`killed writers lose no acknowledged change and leave none half-done (seed ${startSeed})`, async () => {
  const base = mkdtempSync(join(tmpdir(), 'sheaf-kill-'));
  const root = join(base, 'vault');
  process.env.SHEAF_STATE_DIR = join(base, 'state');
  const history = createHistory();
  try {
    await initVault({ root, workspaceId: 'ws-crash' });
    for (let round = 0; round < rounds; round++) {
      await runAndKill(root, startSeed + round * 101, history);
      for (const { error } of history.told.values()) expect(error?.code, error?.message).not.toBe('internal_error');
      const vault = await openVault({ root });
      try {
        await retryUnanswered(history, vault, await checkPromises(history, vault));
        await checkPromises(history, vault);
      } finally {
        await vault.close();
      }
    }
    expect(history.acknowledged.size).toBeGreaterThan(rounds * writers);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}, 600_000);
