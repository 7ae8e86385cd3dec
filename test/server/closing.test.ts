import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { serve } from './served-vault.ts';

test('a connection on which nothing was asked does not hold up closing', async () => {
  const { app, port } = await serve({ settings: { closeTimeoutMs: 3_600_000 } });
  const arrived = once(app.server, 'connection');
  const spare = connect(port, '127.0.0.1');
  spare.on('error', () => undefined);
  await arrived;
  await app.close();
  if (!spare.closed) await once(spare, 'close');
  expect(app.server.listening).toBe(false);
});
