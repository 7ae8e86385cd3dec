import { expect, test, vi } from 'vitest';
import { type CallName, calls } from '#api';
import { commandSurface } from './command-surface.ts';
import { httpSurface } from './http-surface.ts';
import { librarySurface } from './library-surface.ts';
import { scenarioTable } from './scenario-table.ts';
import { makeParityVault, plain, runTable } from './surface.ts';
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const table = scenarioTable.filter(({ call }) => /^(model|executor|secret)\./.test(call));
const run = async (open: any) => {
  const vault = await makeParityVault();
  const surface = await open(vault);
  return Object.fromEntries([...(await runTable(surface, vault.root, table))].map(([n, o]) => [n, plain(o)]));
};
let measure: any;
test('library', async () => {
  measure = await run(librarySurface);
  for (const { name, expect: e } of table) expect([name, 'refused' in measure[name] ? measure[name].refused : 'done']).toEqual([name, e]);
});
test('http', async () => { expect(await run(httpSurface)).toEqual(measure); });
if (process.env.CLI) test('cli', async () => { expect(await run(commandSurface)).toEqual(measure); });
void calls;
export type X = CallName;
