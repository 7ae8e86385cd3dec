import { expect, test, vi } from 'vitest';
import { type CallName, calls } from '#api';
import { commandSurface } from './command-surface.ts';
import { httpSurface } from './http-surface.ts';
import { librarySurface } from './library-surface.ts';
import { mcpSurface } from './mcp-surface.ts';
import { scenarioTable } from './scenario-table.ts';
import type { Outcome } from './step.ts';
import { makeParityVault, type ParityVault, plain, runTable, type Surface } from './surface.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const names = Object.keys(calls) as CallName[];

/** How each call was refused or done, and what it gave. */
const told = (outcome: Outcome | undefined): string => {
  if (outcome === undefined) return 'not asked';
  if ('refused' in outcome) return outcome.refused;
  const { success, error } = outcome.output as { readonly success?: boolean; readonly error?: { readonly code: string } };
  return success === false ? (error?.code ?? 'refused') : 'done';
};

/** Runs the table in a vault made for it. */
const runOn = async (open: (vault: ParityVault) => Surface | Promise<Surface>) => {
  const vault = await makeParityVault();
  const surface = await open(vault);
  return { surface, outcomes: await runTable(surface, vault.root, scenarioTable) };
};

test('every call of the product is done in the table, and every step has a name of its own', () => {
  const done = new Set(scenarioTable.filter(({ expect: outcome }) => outcome === 'done').map(({ call }) => call));
  expect(names.filter(name => !done.has(name))).toEqual([]);
  expect(scenarioTable.map(({ name }) => name)).toEqual([...new Set(scenarioTable.map(({ name }) => name))]);
});

let measure: ReadonlyMap<string, Outcome> = new Map();

test('the library answers each step as the table says', async () => {
  const { outcomes } = await runOn(librarySurface);
  measure = outcomes;
  expect(Object.fromEntries([...outcomes].map(([name, outcome]) => [name, told(outcome)]))).toEqual(
    Object.fromEntries(scenarioTable.map(({ name, expect: outcome }) => [name, outcome])),
  );
});

/** The library's answers and the surface's own, side by side, with what differs by nature taken out. */
const compared = ({ surface, outcomes }: Awaited<ReturnType<typeof runOn>>) => {
  const offered = scenarioTable.filter(({ call, needs = call }) => !surface.missing.includes(call) && !surface.missing.includes(needs));
  const shown = (call: CallName, outcome: Outcome): Outcome => surface.shown?.(call, outcome) ?? outcome;
  const notAsked: Outcome = { refused: 'not asked' };
  return {
    ours: offered.map(({ name }) => [name, plain(outcomes.get(name) ?? notAsked)]),
    theirs: offered.map(({ name, call }) => [name, plain(shown(call, measure.get(name) ?? notAsked))]),
  };
};

test.each([
  ['HTTP', httpSurface],
  ['MCP', (vault: ParityVault) => mcpSurface(vault, names)],
  ['the command line', commandSurface],
] as const)('%s answers each step as the library does', async (_, open) => {
  const { ours, theirs } = compared(await runOn(open));
  expect(ours).toEqual(theirs);
});
