import { expect, test } from 'vitest';
import { createCurrentPrincipal } from './current-principal.ts';

test('a token that was revoked stands for nobody; while principals cannot be read, what was known holds', async () => {
  const first = { id: 'agent:a' };
  const unreadable = createCurrentPrincipal({ authenticate: () => Promise.reject(new Error('unreadable')) }, 'token', first);
  expect(await unreadable()).toBe(first);
  const revoked = createCurrentPrincipal({ authenticate: async () => null }, 'token', first);
  expect(await revoked()).toBeNull();
});

test('envelopes that come close together ask once', async () => {
  let asked = 0;
  const authenticate = async () => {
    asked += 1;
    return null;
  };
  const current = createCurrentPrincipal({ authenticate }, 'token', null);
  await Promise.all([current(), current(), current()]);
  expect(asked).toBe(1);
});
