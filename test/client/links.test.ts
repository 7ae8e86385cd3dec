import { expect, test } from 'vitest';
import { createClient } from '#server/http/client';
import { operation, rule, serve } from '../server/served-vault.ts';

test('a client moves a document with every link to it, and says how good it was', async () => {
  const { origin, admit, submit } = await serve();
  const client = createClient({ endpoint: origin, token: await admit('mover') });
  await submit(operation('rules/tone.md', rule()));
  await submit(operation('rules/other.md', `${rule()}[t](/rules/tone.md) [gone](/rules/none.md) [t](/rules/Tone.md)\n`));
  expect((await client.links.of('rules/tone.md')).backlinks.map(({ path }) => path)).toEqual(['rules/other.md']);
  expect((await client.links.check({ paths: ['rules/'] })).problems.map(({ fault }) => fault)).toEqual(['missing', 'wrong_case']);
  expect((await client.links.fix({ dryRun: true })).changes).toMatchObject([{ path: 'rules/other.md', outcome: 'planned' }]);
  expect(await client.links.suggest()).toEqual([]);
  const moved = await client.links.move('rules/tone.md', 'rules/voice.md');
  expect(moved.complete).toBe(true);
  expect(await client.links.move('rules/tone.md', 'rules/voice.md')).toMatchObject({
    complete: true,
    correlation_id: moved.correlation_id,
  });
  await expect(client.links.move('rules/none.md', 'rules/x.md')).rejects.toMatchObject({ code: 'not_found' });
  expect((await client.memory.check()).pairs).toEqual([]);
  await expect(client.memory.resolve('conflict-none', 'both')).rejects.toMatchObject({ code: 'not_found' });
  const given = await client.memory.feedback('rules/voice.md', 1, { key: 'once', comment: 'good' });
  expect(await client.memory.feedback('rules/voice.md', 1, { key: 'once', comment: 'good' })).toMatchObject({
    replay: true,
    event_id: given.event_id,
  });
  await expect(client.memory.feedback('rules/voice.md', 7)).rejects.toMatchObject({ code: 'invalid_request' });
});
