import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { type Child, startChild } from './child-process.ts';

vi.setConfig({ testTimeout: 120_000 });

const documents = 550;

const note = (name: string): string =>
  `---\ntype: rule\ntitle: ${name}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: ${name}\n---\nFound everywhere.\n`;

/** A vault of some batches of documents, and workers on it. */
const filled = async () => {
  const base = mkdtempSync(join(tmpdir(), 'sheaf-index-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, stateDir] = [join(base, 'vault'), join(base, 'state')];
  await initVault({ root, workspaceId: 'ws-a' });
  mkdirSync(join(root, 'rules'));
  for (let i = 0; i < documents; i += 1) writeFileSync(join(root, 'rules', `r${i}.md`), note(`r${i}`));
  const worker = (name: string, what: 'rebuild' | 'search', rounds: number): Child =>
    startChild(name, 'test/crash/index-worker.mjs', [root, stateDir, what, String(rounds)]);
  const sound = async () => {
    const vault = await openVault({ root, stateDir });
    try {
      const { total } = await vault.search('everywhere');
      return {
        found: total,
        differing: await vault.index.repair(),
        behind: (await vault.index.status()).filter(({ state }) => state !== 'level'),
      };
    } finally {
      await vault.close();
    }
  };
  return { root, worker, sound };
};

test('an index whose builder is killed at any moment is finished by the next process', async () => {
  const { worker, sound } = await filled();
  for (const [round, ms] of [0, 80, 250].entries()) {
    const child = worker(`builder ${round}`, 'rebuild', 50);
    await child.hears(({ begins }: { begins?: number }) => begins === 0);
    await pause(ms);
    child.signal('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');
    expect(await sound()).toEqual({ found: documents, differing: [], behind: [] });
  }
});

test('processes that build, ask and change at once give whole answers, and agree in the end', async () => {
  const { root, worker, sound } = await filled();
  const children = [worker('builder', 'rebuild', 2), worker('other builder', 'rebuild', 2), worker('reader', 'search', 5)];
  for (let i = 0; i < 30; i += 1) {
    // Rewritten in place: the number of documents stays, and their bytes do not.
    writeFileSync(join(root, 'rules', `r${i}.md`), `${note(`r${i}`)}Again.\n`);
    await pause(10);
  }
  for (const child of children) {
    expect([await child.ended, child.errors()]).toEqual([0, '']);
    const found = child.lines.flatMap(line => (line as { found?: number }).found ?? []);
    expect(new Set(found)).toEqual(new Set([documents]));
  }
  expect(await sound()).toEqual({ found: documents, differing: [], behind: [] });
});
