import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeVault, openWorkshop, rule } from './sheaf.ts';

const path = 'rules/tone.md';

test('undo takes back the last change of the document that is named, and says how to name an event', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  const { inVault, sheaf, vault } = workshop;
  const before = rule('Tone');
  expect(await sheaf(['write', path], { cwd: vault, input: before })).toMatchObject({ status: 0 });
  expect(await inVault('patch', path, 'scope=support')).toMatchObject({ status: 0 });
  // An event about the document that changed nothing of it is not what is meant.
  expect(await inVault('feedback', path, '--score', '1')).toMatchObject({ status: 0 });
  expect(await inVault('undo', path)).toMatchObject({ status: 0, stdout: expect.stringContaining(path) });
  expect((await inVault('cat', path)).stdout).toBe(before);
  expect(await inVault('undo', path)).toMatchObject({ status: 0 });
  expect((await inVault('cat', path)).stdout).toContain('\nscope: support\n');
  // Every change ends in a document that did not move on, or in a refusal.
  appendFileSync(join(vault, path), 'By hand.\n');
  expect(await inVault('undo', path)).toMatchObject({ status: 1, stderr: expect.stringContaining('--force') });
  expect(await inVault('adopt', path)).toMatchObject({ status: 0 });
  expect(await inVault('undo', path)).toMatchObject({ status: 0 });
  expect((await inVault('cat', path)).stdout).not.toContain('By hand.');

  expect(await inVault('undo', 'rules/none.md')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("no change of 'rules/none.md'; `sheaf log` lists"),
  });
  expect(await inVault('undo')).toMatchObject({ status: 2, stderr: expect.stringMatching(/`sheaf undo --help`.*`sheaf log` lists/) });
});
