import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { openFsStore } from '#stores/fs';
import { diskVaults, everything, rule } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

/** The only segment of the log. */
const segmentOf = (root: string): string => {
  const directory = join(root, '.ssss', 'events');
  return join(directory, readdirSync(directory).find(name => name.endsWith('.jsonl')) ?? 'none');
};

const lineOf = (overrides: Parameters<typeof sampleEvent>[0]): string => `${JSON.stringify(sampleEvent(overrides))}\n`;

test.each([
  ['shorter', (lines: readonly string[]) => lines.slice(0, 2).join('')],
  ['another one that is as long', (lines: readonly string[]) => lines.map(line => line.replace(/"event_id":"./, '"event_id":"0')).join('')],
  ['longer, and another one', (lines: readonly string[]) => lineOf({ subject: 'first.md' }) + lines.join('')],
])('a log that was exchanged for a %s is followed from its beginning, and said', async (_, exchange) => {
  const { root, store, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  for (let i = 0; i < 4; i += 1) await store.events.append(sampleEvent({ subject: 'a.md', correlation_id: `c${i}` }));
  const before = open();
  await before.level();
  await before.close();
  const segment = segmentOf(root);
  const lines = readFileSync(segment, 'utf8').split(/(?<=\n)/);
  writeFileSync(segment, exchange(lines));
  const { open: reopen } = await diskVault(root);
  const after = reopen();
  expect((await after.status()).find(({ id }) => id === 'event_graph')).toMatchObject({ state: 'stale' });
  await after.level();
  const fresh = reopen({ inMemory: true });
  await fresh.level();
  expect(await after.read(everything)).toEqual(await fresh.read(everything));
  expect(after.notices).toMatchObject([expect.stringMatching(/^projections_rebuilt: The event log no longer continues/)]);
  // Said once, not at every question.
  await after.level();
  expect(after.notices).toHaveLength(1);
});
