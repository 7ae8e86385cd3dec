import { expect, test } from 'vitest';
import type { Vfs } from '#adapter-contracts';
import { createMemoryStore } from '#stores/memory';
import { del, evt, failing, op, openHarness, patch, rule, thread } from '../../test/kernel-model/kernel-harness.ts';

const down = new Error('the disk is full');

test('a race lost to the same key answers as that winner, or as a conflict', async () => {
  const store = createMemoryStore();
  const winner = openHarness({ store });
  const sent = op('x.md', rule('mine'), { idempotency_key: 'k' });
  // The winner commits while the loser is between stages 3 and 5.
  const race = (loser: unknown, first: unknown, context = {}) => {
    const authorizer = {
      authorize: async () => {
        await winner.accept(first);
        return { allowed: true };
      },
    };
    return openHarness({ store, authorizer }).send(loser, context);
  };
  expect(await race({ ...sent, content: rule('other') }, sent)).toMatchObject({ success: false, error: { code: 'idempotency_conflict' } });
  const again = op('y.md', rule('mine'));
  expect(await race(again, again)).toMatchObject({ success: true, replay: true });
  const removal = del('x.md');
  expect(await race(removal, removal)).toMatchObject({ success: true, replay: true });
  const happening = evt('s', 1);
  expect(await race(happening, happening)).toMatchObject({ success: true, replay: true });
  expect(await race(evt('s', 1, { idempotency_key: 'e' }), evt('s', 2, { idempotency_key: 'e' }))).toMatchObject({
    error: { code: 'idempotency_conflict' },
  });
  expect(await race(op('y.md', rule('late')), op('y.md', rule('won')))).toMatchObject({ error: { code: 'version_conflict' } });
  const unchanged = op('y.md', rule('won'));
  expect(await race(unchanged, unchanged)).toMatchObject({ success: true, replay: true, unchanged: true });
});

test('an operation that finds its own bytes stored by a winner only the log knows answers as that winner', async () => {
  const store = createMemoryStore();
  const winner = openHarness({ store, adapt: () => ({ idempotency: failing(store.idempotency, 'put', down) }) });
  const sent = op('z.md', rule('once'));
  // The loser has looked its key up and now reads what the winner just stored.
  const read: Vfs['read'] = async path => {
    await winner.send(sent);
    return store.vfs.read(path);
  };
  const response = await openHarness({ store, adapt: () => ({ vfs: { ...store.vfs, read } }) }).send(sent);
  expect(response).toMatchObject({ replay: true, event_id: expect.any(String) });
  expect(response).not.toHaveProperty('unchanged');
});

test('racing creators, same-key twins and appenders on one path lose nothing', async () => {
  const { send, events, text } = openHarness();
  const creators = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(n => send(op('x.md', rule(`${n}`)), { ifMatch: null })));
  expect(creators.filter(response => response.success)).toHaveLength(1);
  expect(creators.filter(response => !response.success && response.error.code === 'version_conflict')).toHaveLength(7);
  const sent = op('y.md', rule('same'));
  const twins = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => send(sent)));
  expect(twins.every(response => response.success)).toBe(true);
  expect(new Set(twins.map(response => response.success && response.event_id)).size).toBe(1);
  expect(twins.filter(response => response.success && response.replay === true)).toHaveLength(7);
  const happening = evt('s', 1);
  await Promise.all([1, 2, 3, 4].map(() => send(happening)));
  await send(op('t.md', thread('')));
  const append = async (n: number): Promise<void> => {
    while (!(await send(patch('t.md', { __body__: `### turn ${n}\n` }))).success);
  };
  await Promise.all([1, 2, 3, 4, 5, 6].map(append));
  expect([...((await text('t.md')) ?? '').matchAll(/### turn \d/g)]).toHaveLength(6);
  expect(await events()).toHaveLength(1 + 1 + 1 + 1 + 6);
});
