import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Random, seededRandom } from '#adapter-contracts/testing';
import { initVault, openVault } from '#open-vault';
import { type Child, startChild, stoppingUnavailable } from './child-process.ts';
import { checkPromises, createHistory, type History, remember, retryUnanswered } from './history.ts';
import { checkView } from './readers-view.ts';
import { skipAloud } from './skip-aloud.ts';

// The same code soaks for as long as it is left running; here a few rounds fit the budget.
const soaking = process.env.SHEAF_SOAK !== undefined;
const rounds = soaking ? Number(process.env.SHEAF_SOAK_ROUNDS ?? 500) : 3;
const writers = 3;
const startSeed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);

const spoke = (line: { done?: string; ids?: unknown }): boolean => line.done !== undefined || line.ids !== undefined;

const startWriter = (root: string, seed: number, index: number): Child =>
  startChild(`w${index}`, 'test/crash/writer.mjs', [root, `w${index}`, String(seed), '300']);

/** Stops writers at random moments while the others go on; some are continued, some killed where they stand. */
const disturb = async (children: readonly Child[], random: Random): Promise<void> => {
  for (let turns = 6; turns > 0; turns -= 1) {
    const child = children[Math.floor(random() * children.length)]!;
    await pause(random() * 60);
    await child.stop();
    // Now and then longer than the others wait for a lock, so that they must be refused and the stopped one must find its locks its own.
    await pause(random() < 0.3 ? 700 : random() * 150);
    child.signal(random() < 0.25 ? 'SIGKILL' : 'SIGCONT');
  }
};

const round = async (root: string, seed: number, history: History): Promise<Child> => {
  const random = seededRandom(seed);
  const children = Array.from({ length: writers }, (_, index) => startWriter(root, seed * 10 + index, index));
  const reader = startChild('reader', 'test/crash/reader.mjs', [root]);
  try {
    await Promise.all([...children, reader].map(child => child.hears(spoke)));
    await disturb(children, random);
  } finally {
    for (const child of [...children, reader]) child.signal('SIGKILL');
  }
  for (const child of [...children, reader]) expect(await child.ended, `${child.name} ended by itself: ${child.errors()}`).toBe('SIGKILL');
  for (const child of children) remember(history, child.name, child.lines);
  return reader;
};

/** A stopped writer keeps its locks: others are told so, in the two ways there are. */
const checkRefusals = ({ told }: History): void => {
  for (const { error } of told.values()) {
    if (error?.code === 'internal_error') expect(error.message).toContain('Another process has held the lock of the event log');
    else if (error !== undefined) expect(['version_conflict', 'not_found', 'validation_failed'], error.message).toContain(error.code);
  }
};

const title = 'writers stopped at random, some killed where they stood, lose, tear and invent nothing';
test.skipIf(skipAloud('stopped writers', stoppingUnavailable()))(
  `${title} (seed ${startSeed})`,
  async () => {
    const base = mkdtempSync(join(tmpdir(), 'sheaf-stop-'));
    const root = join(base, 'vault');
    process.env.SHEAF_STATE_DIR = join(base, 'state');
    const history = createHistory();
    try {
      await initVault({ root, workspaceId: 'ws-crash' });
      for (let index = 0; index < rounds; index += 1) {
        const seed = startSeed + index * 101;
        const reader = await round(root, seed, history);
        checkRefusals(history);
        const vault = await openVault({ root });
        try {
          const events = await checkPromises(history, vault);
          const uncommitted = checkView(history, events, reader.lines);
          await retryUnanswered(history, vault, events);
          await checkPromises(history, vault);
          expect((await vault.check()).log_damage).toEqual([]);
          if (soaking) console.log(`round ${index} (seed ${seed}): ${events.length} events, ${uncommitted} uncommitted versions seen`);
        } finally {
          await vault.close();
        }
      }
      expect(history.acknowledged.size).toBeGreaterThan(rounds * writers);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
  3_600_000,
);
