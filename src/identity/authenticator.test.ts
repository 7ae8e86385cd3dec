import { expect, test, vi } from 'vitest';
import type { Principal } from '#adapter-contracts';
import { createAuthenticator } from './authenticator.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import type { OidcVerifier } from './oidc-verifier.ts';
import { createMemoryPrincipalRegistry } from './principal-registry.ts';

const person: Principal = {
  id: 'local:mei',
  kind: 'human',
  workspaceIds: ['ws'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};
const agent = { id: 'agent:a', kind: 'agent', capabilities: ['write:event'] };

const open = (oidc?: OidcVerifier) => {
  let now = Date.now();
  const clock = { now: () => new Date(now) };
  const registry = createMemoryPrincipalRegistry(clock);
  const sessions = createBrowserSessions({ person, clock });
  const authenticator = createAuthenticator({ registry, workspaceId: 'ws', sessions, ...(oidc === undefined ? {} : { oidc }) });
  return { registry, sessions, authenticator, pass: (seconds: number) => (now += seconds * 1000) };
};
const sessionOf = async (sessions: ReturnType<typeof open>['sessions']) => (await sessions.redeem(sessions.createLink()))?.token ?? '';

test('each kind of token stands for its principal, in this workspace only', async () => {
  const { registry, sessions, authenticator } = open({ verify: async token => (token === 'a.b.c' ? { ...person, id: 'oidc:1' } : null) });
  const { token } = await registry.add(agent);
  expect(await authenticator.authenticate(token)).toMatchObject({ id: 'agent:a', kind: 'agent', workspaceIds: ['ws'] });
  expect(await authenticator.authenticate(await sessionOf(sessions))).toMatchObject({ id: 'local:mei', workspaceIds: ['ws'] });
  expect(await authenticator.authenticate('a.b.c')).toMatchObject({ id: 'oidc:1' });
});

test.each(['', 'sheaf_', 'sheafs_', 'sheaf_unknown', 'sheafs_unknown', 'a.b.c', 'null', 'x'.repeat(100_000)])(
  'the token %.20s is nobody',
  async token => {
    expect(await open().authenticator.authenticate(token)).toBeNull();
  },
);

test('a revoked, an expired and a replaced token are nobody at once', async () => {
  const { registry, authenticator, pass } = open();
  const first = await registry.add({ ...agent, expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  const second = await registry.rotate('agent:a');
  expect(await authenticator.authenticate(first.token)).toBeNull();
  expect(await authenticator.authenticate(second.token)).not.toBeNull();
  pass(3601);
  expect(await authenticator.authenticate(second.token)).toBeNull();
  const other = await registry.add({ ...agent, id: 'agent:b' });
  await registry.revoke('agent:b');
  expect(await authenticator.authenticate(other.token)).toBeNull();
});

test('whatever an identity provider says, a remote caller is never the system', async () => {
  const { authenticator } = open({ verify: async () => ({ ...person, kind: 'system' }) });
  expect(await authenticator.authenticate('a.b.c')).toBeNull();
});

test('revoking a principal ends what watches its token within a second, and nothing else', async () => {
  const { registry, authenticator } = open();
  const revoked = await registry.add(agent);
  const living = await registry.add({ ...agent, id: 'agent:b' });
  const ended: string[] = [];
  const bothEnded = new Promise<void>(resolve => {
    const end = (name: string) => () => {
      ended.push(name);
      if (ended.length === 2) resolve();
    };
    authenticator.watch(revoked.token, end('first'));
    authenticator.watch(revoked.token, end('second'));
  });
  const other = vi.fn();
  const stopOther = authenticator.watch(living.token, other);
  await registry.revoke('agent:a');
  await bothEnded;
  expect(ended).toEqual(['first', 'second']);
  expect(other).not.toHaveBeenCalled();
  stopOther();
});

test('the end of a session and its idle end reach watchers; watching does not keep it alive', async () => {
  const { sessions, authenticator, pass } = open();
  const endOf = (token: string) => new Promise<void>(resolve => authenticator.watch(token, resolve));
  const [left, idle] = [await sessionOf(sessions), await sessionOf(sessions)];
  const leaving = endOf(left);
  sessions.end(left);
  await leaving;
  const idling = endOf(idle);
  pass(12 * 3600);
  await idling;
});

test('who stops watching is not called, and a token that nobody knows ends its watcher, too', async () => {
  const { registry, authenticator } = open();
  const { token } = await registry.add(agent);
  const stopped = vi.fn();
  authenticator.watch(token, stopped)();
  await registry.revoke('agent:a');
  await new Promise<void>(resolve => authenticator.watch('sheaf_unknown', resolve));
  await new Promise<void>(resolve => authenticator.watch(token, resolve));
  expect(stopped).not.toHaveBeenCalled();
});

test('an identity provider that does not answer ends no stream', async () => {
  let answer: () => Promise<Principal | null> = async () => {
    throw new Error('unreachable');
  };
  const looked = vi.fn();
  const { authenticator } = open({
    verify: () => {
      looked();
      return answer();
    },
  });
  await expect(authenticator.authenticate('a.b.c')).rejects.toThrow('unreachable');
  const ended = new Promise<void>(resolve => authenticator.watch('a.b.c', resolve));
  looked.mockClear();
  await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(1), 5000);
  // Still watched: the next answer counts.
  answer = async () => null;
  await ended;
});
