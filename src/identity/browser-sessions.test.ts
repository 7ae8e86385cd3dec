import { expect, test } from 'vitest';
import type { Principal } from '#adapter-contracts';
import { createBrowserSessions } from './browser-sessions.ts';

const person: Principal = {
  id: 'local:mei',
  kind: 'human',
  workspaceIds: ['ws'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};

const open = () => {
  let now = Date.parse('2026-05-16T14:00:00Z');
  const sessions = createBrowserSessions({ person, clock: { now: () => new Date(now) } });
  return { sessions, pass: (seconds: number) => (now += seconds * 1000) };
};
const used = { use: true };

test('a link gives one session, which acts as the person and says that it is a session', async () => {
  const { sessions } = open();
  const secret = sessions.createLink();
  const session = await sessions.redeem(secret);
  expect(session?.token).toMatch(/^sheafs_[\w-]{43}$/);
  expect(sessions.principalOf(session?.token ?? '', used)).toEqual({
    ...person,
    authentication: { provider: 'session', assurance: 'verified' },
  });
  expect(await sessions.redeem(secret)).toBeNull();
});

test('a link is good for two minutes', async () => {
  const { sessions, pass } = open();
  const [early, late] = [sessions.createLink(), sessions.createLink()];
  pass(119);
  expect(await sessions.redeem(early)).not.toBeNull();
  pass(1);
  expect(await sessions.redeem(late)).toBeNull();
});

test('after five wrong tries the right secret is void, too; a new link is not', async () => {
  const { sessions } = open();
  const secret = sessions.createLink();
  for (let attempt = 0; attempt < 4; attempt += 1) await sessions.redeem(`guess-${attempt}`);
  const second = sessions.createLink();
  for (let attempt = 0; attempt < 5; attempt += 1) expect(await sessions.redeem(`guess-${attempt}`)).toBeNull();
  expect(await sessions.redeem(secret)).toBeNull();
  expect(await sessions.redeem(second)).toBeNull();
  expect(await sessions.redeem(sessions.createLink())).not.toBeNull();
});

test('a session ends after twelve idle hours; looking at it is no use', async () => {
  const { sessions, pass } = open();
  const token = (await sessions.redeem(sessions.createLink()))?.token ?? '';
  pass(11 * 3600);
  expect(sessions.principalOf(token, { use: false })).not.toBeNull();
  pass(3599);
  expect(sessions.principalOf(token, used)).not.toBeNull();
  pass(12 * 3600 - 1);
  expect(sessions.principalOf(token, { use: false })).not.toBeNull();
  pass(1);
  expect(sessions.principalOf(token, used)).toBeNull();
  expect(sessions.principalOf(token, used)).toBeNull();
});

test('a session can be ended alone, and closing ends all of them and every link', async () => {
  const { sessions } = open();
  const make = async () => (await sessions.redeem(sessions.createLink()))?.token ?? '';
  const [first, second] = [await make(), await make()];
  const link = sessions.createLink();
  sessions.end(first);
  expect(sessions.principalOf(first, used)).toBeNull();
  expect(sessions.principalOf(second, used)).not.toBeNull();
  sessions.close();
  expect(sessions.principalOf(second, used)).toBeNull();
  expect(await sessions.redeem(link)).toBeNull();
});

test('sessions that nobody ends do not gather without bound: the oldest gives way', async () => {
  const { sessions } = open();
  const tokens: string[] = [];
  for (let count = 0; count < 101; count += 1) tokens.push((await sessions.redeem(sessions.createLink()))?.token ?? '');
  expect(sessions.principalOf(tokens[0] ?? '', used)).toBeNull();
  expect(sessions.principalOf(tokens[1] ?? '', used)).not.toBeNull();
});
