import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHookSecrets } from './hook-secrets.ts';
import { createMemoryStateFile, openStateFile } from './state-file.ts';

const clock = { now: () => new Date('2026-05-16T08:00:00Z') };

const state = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-hooks-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

test.each([
  ['on disk', () => createHookSecrets(openStateFile(state(), 'hooks'), clock)],
  ['in memory', () => createHookSecrets(createMemoryStateFile('hooks'), clock)],
])('%s two secrets of a name are live, and a third ends the oldest', async (_, open) => {
  const secrets = open();
  expect([secrets.live('form'), secrets.list()]).toEqual([[], []]);
  const made = [await secrets.create('form'), await secrets.create('form'), await secrets.create('form')].map(({ secret }) => secret);
  expect(new Set(made).size).toBe(3);
  expect(secrets.live('form')).toEqual(made.slice(1));
  expect(secrets.list()).toEqual([{ name: 'form', created_at: ['2026-05-16T08:00:00.000Z', '2026-05-16T08:00:00.000Z'] }]);
  expect([await secrets.remove('form'), await secrets.remove('form'), secrets.live('form')]).toEqual([true, false, []]);
});

test('names are only names', async () => {
  const secrets = createHookSecrets(openStateFile(state(), 'hooks'), clock);
  expect([secrets.live('__proto__'), secrets.live('constructor')]).toEqual([[], []]);
  await secrets.create('constructor');
  expect(secrets.live('constructor')).toHaveLength(1);
});

test('the file is for the person of this machine alone, and another process sees a change at once', async () => {
  const stateDir = state();
  const [one, other] = [
    createHookSecrets(openStateFile(stateDir, 'hooks'), clock),
    createHookSecrets(openStateFile(stateDir, 'hooks'), clock),
  ];
  const { secret } = await one.create('form');
  expect(statSync(join(stateDir, 'hooks.json')).mode & 0o777).toBe(0o600);
  expect(other.live('form')).toEqual([secret]);
  await other.remove('form');
  expect(one.live('form')).toEqual([]);
});

test('a file that cannot be read is an error with the file and the remedy, not the absence of secrets', () => {
  const stateDir = state();
  writeFileSync(join(stateDir, 'hooks.json'), '{"version":1,"hooks":{"form":[{"secret":"short"}]}}');
  expect(() => createHookSecrets(openStateFile(stateDir, 'hooks'), clock).live('form')).toThrow(
    /hooks\.json cannot be read .* delete it and make its secrets again/s,
  );
  expect(readFileSync(join(stateDir, 'hooks.json'), 'utf8')).toContain('short');
});

test('an error about the file quotes none of its secrets', () => {
  const stateDir = state();
  writeFileSync(join(stateDir, 'hooks.json'), '{"version":1,"hooks":{"form":whsec_topsecret}}');
  expect(() => createHookSecrets(openStateFile(stateDir, 'hooks'), clock).live('form')).toThrow(
    /^(?!.*topsecret).*hooks\.json cannot be read/s,
  );
});
