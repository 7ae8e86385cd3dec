import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { code, op, rule, temporaryPlace } from './hostile-vault.ts';

test('a vault that is closed twice closes nothing that others opened meanwhile', async () => {
  const { base, root, end } = temporaryPlace();
  try {
    await initVault({ root, workspaceId: 'ws-a' });
    const stateDir = join(base, 'state');
    const first = await openVault({ root, stateDir });
    expect(await code(first, op('a.md', rule('x\n')))).toBe('ok');
    await first.close();
    // These get the numbers that the vault's own files had.
    const files = Array.from({ length: 40 }, () => openSync(join(base, 'another'), 'a'));
    const second = await openVault({ root, stateDir });
    await first.close();
    for (const file of files) expect(fstatSync(file).isFile()).toBe(true);
    expect(await code(second, op('b.md', rule('x\n')))).toBe('ok');
    for (const file of files) closeSync(file);
    await second.close();
  } finally {
    end();
  }
});
