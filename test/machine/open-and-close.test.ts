import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { startChild } from '../crash/child-process.ts';
import { checkPromises, createHistory } from '../crash/history.ts';
import { skipAloud } from '../crash/skip-aloud.ts';
import { send, writeRule } from './requests.ts';

const cycles = process.env.SHEAF_SOAK ? 5_000 : 1_000;
const counts = process.platform === 'linux';

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-cycles-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let root = '';
let stateDir = '';
beforeEach(async context => {
  const place = join(base, context.task.id);
  root = join(place, 'vault');
  stateDir = join(place, 'state');
  await initVault({ root, workspaceId: 'ws-crash' });
});

/** What this process holds: descriptors by what they name, and how much there is that keeps an event loop alive. */
const held = async () => {
  // Handles that were closed are let go of at the end of a turn.
  await turn();
  await turn();
  const descriptors = readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The one that lists the directory itself is gone by now.
      return [];
    }
  });
  return {
    inVault: descriptors.filter(name => name.startsWith(base)),
    all: descriptors.length,
    resources: process.getActiveResourcesInfo().length,
  };
};

// The test runner has pipes and timers of its own that come and go.
const others = 5;

/** Runs one cycle to warm up, then many, and compares. */
const expectNothingLeft = async (times: number, cycle: (index: number) => Promise<void>): Promise<void> => {
  await cycle(0);
  const before = await held();
  for (let index = 1; index <= times; index += 1) await cycle(index);
  const after = await held();
  expect(after.inVault, 'nothing in the vault stays open').toEqual([]);
  expect(times).toBeGreaterThan(others * 4);
  expect(after.all, 'descriptors').toBeLessThanOrEqual(before.all + others);
  expect(after.resources, 'timers and handles').toBeLessThanOrEqual(before.resources + others);
};

const journals = (): readonly string[] => readdirSync(join(root, '.ssss-intents', 'journal'));

describe.skipIf(skipAloud('counting descriptors', counts ? null : 'there is no /proc here'))(
  `a vault opened and closed again and again (${cycles} times)`,
  () => {
    test('leaves no descriptor, no timer and no journal behind, whether it wrote or only read', async () => {
      const history = createHistory();
      await expectNothingLeft(cycles, async index => {
        const vault = await openVault({ root, stateDir, readOnly: index % 10 === 3 });
        if (index % 5 === 0) {
          const answer = await send(history, vault, writeRule(`rules/r${index % 7}.md`, `cycle ${index}`));
          expect(answer.error).toBeUndefined();
        }
        if (index % 5 === 1) expect((await vault.status()).rows).toEqual([]);
        if (index % 5 === 2) await vault.leases.list('ws-crash');
        await vault.close();
      });
      expect(journals()).toEqual(['1.journal']);
    }, 600_000);

    test('leaves nothing behind when it is closed in the middle of its work', async () => {
      const history = createHistory();
      await expectNothingLeft(cycles / 20, async index => {
        const vault = await openVault({ root, stateDir });
        const answers = [1, 2, 3].map(part => send(history, vault, writeRule(`rules/p${part}.md`, `cycle ${index} part ${part}`)));
        for (let turns = index % 15; turns > 0; turns -= 1) await turn();
        await vault.close();
        for (const { error } of await Promise.all(answers)) if (error) expect(error.code, error.message).toBe('internal_error');
        const again = await openVault({ root, stateDir });
        await checkPromises(history, again);
        await again.close();
      });
      expect(history.acknowledged.size, 'some were in time').toBeGreaterThan(0);
      expect(history.acknowledged.size, 'and some were not').toBeLessThan(history.tried.size);
      expect(journals()).toEqual(['1.journal']);
    }, 600_000);

    test('leaves nothing behind when opening fails or is refused', async () => {
      const broken = {
        'a registry that differs from its lock': '.ssss/registry.lock.json',
        'a workspace file that cannot be read': '.ssss/workspace.json',
        'a policy that cannot be read': '.ssss/policy.json',
      };
      for (const [what, file] of Object.entries(broken)) {
        const place = join(base, `broken-${file.replaceAll('/', '-')}`);
        cpSync(root, place, { recursive: true });
        writeFileSync(join(place, file), '{"broken": ');
        await expectNothingLeft(cycles / 20, async () => {
          await expect(openVault({ root: place, stateDir }), what).rejects.toThrow(file);
        });
      }
      for (const reserved of ['.ssss-intents/locks', '.ssss/events', '.ssss/coordination', '.ssss-intents/journal']) {
        const place = join(base, `file-${reserved.replaceAll('/', '-')}`);
        cpSync(root, place, { recursive: true });
        rmSync(join(place, reserved), { recursive: true, force: true });
        mkdirSync(dirname(join(place, reserved)), { recursive: true });
        writeFileSync(join(place, reserved), '');
        await expectNothingLeft(cycles / 20, async () => {
          const vault = await openVault({ root: place, stateDir }).catch(() => null);
          if (vault === null) return;
          const answer = await send(createHistory(), vault, writeRule('rules/a.md', 'a'));
          if (reserved !== '.ssss/coordination') expect(answer.error?.code).toBe('internal_error');
          await vault.close();
        });
      }
    }, 600_000);

    test('leaves nothing behind when another process stands still with the locks in its hands', async () => {
      const point = 'before the event is written';
      const halting = [writeRule('rules/target.md', 'one'), writeRule('rules/target.md', 'two')].map(request => JSON.stringify(request));
      const child = startChild('halting', 'test/crash/point-writer.mjs', [root, point, 'SIGSTOP', '1000', ...halting]);
      try {
        await child.hears((line: { halting?: string }) => line.halting === point);
        await child.stopped();
        await expectNothingLeft(cycles / 20, async index => {
          const vault = await openVault({ root, stateDir, lockTimeoutMs: 5 });
          for (const path of ['rules/target.md', 'rules/other.md']) {
            const { error } = await send(createHistory(), vault, writeRule(path, `cycle ${index}`));
            expect(error?.code, error?.message).toMatch(
              path === 'rules/target.md' ? /^(version_conflict|internal_error)$/ : /^internal_error$/,
            );
          }
          await vault.close();
        });
      } finally {
        child.signal('SIGKILL');
      }
    }, 600_000);
  },
);
