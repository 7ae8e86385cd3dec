import { expect, test } from 'vitest';
import { openMemoryVault } from '#open-vault';
import { runCall } from './call.ts';
import { calls } from './calls/all-calls.ts';
import { followEvents, mayFollowEvents } from './calls/event-follow.ts';
import type { Vault } from './vault.ts';

const person = (...capabilities: string[]) => ({
  principal: {
    id: 'u1',
    kind: 'human' as const,
    workspaceIds: ['ws-memory'],
    capabilities,
    authentication: { provider: 'test', assurance: 'verified' },
  },
});
const owner = person('*:*');
const reader = person('read:event');

let keys = 0;
const happen = async (vault: Vault, subject: string): Promise<string> => {
  keys += 1;
  const envelope = { type: 'event', workspace_id: 'ws-memory', idempotency_key: `k${keys}`, path: subject, content: '{"event_type":"x"}' };
  const response = await vault.execute(envelope, owner);
  return response.success ? (response.event_id ?? '') : expect.fail(response.error.message);
};

const list = (vault: Vault, input: object) => runCall(calls['event.list'], vault, reader, input);

test('the cursor of a filtered list stands behind what was looked at, not behind what was found', async () => {
  const vault = await openMemoryVault();
  await happen(vault, 'rules/a.md');
  for (let count = 0; count < 5; count += 1) await happen(vault, 'tasks/a.md');
  const page = await list(vault, { subject: 'rules/' });
  expect(page).toMatchObject({ events: [{ subject: 'rules/a.md' }], more: false });
  expect(page.cursor).toBe(await vault.lastCursor());
  await happen(vault, 'rules/b.md');
  expect(await list(vault, { subject: 'rules/', cursor: page.cursor })).toMatchObject({ events: [{ subject: 'rules/b.md' }], more: false });
});

test('pages of a filtered list give every match once, and `more` says whether there is another', async () => {
  const vault = await openMemoryVault();
  for (const subject of ['r/1', 't/1', 'r/2', 'r/3', 't/2', 'r/4', 't/3']) await happen(vault, subject);
  const found: string[] = [];
  let cursor: string | null = null;
  for (let more = true; more; ) {
    const page: Awaited<ReturnType<typeof list>> = await list(vault, { subject: 'r/', limit: 2, ...(cursor === null ? {} : { cursor }) });
    found.push(...page.events.map(event => event.subject));
    ({ cursor, more } = page);
    expect(page.events).not.toEqual([]);
  }
  expect(found).toEqual(['r/1', 'r/2', 'r/3', 'r/4']);
});

const firstOf = async (vault: Vault, input: object): Promise<string> => {
  const { follow, matches } = await followEvents.open(vault, reader, input);
  const controller = new AbortController();
  for await (const { event } of follow(controller.signal)) {
    if (!matches(event)) continue;
    controller.abort();
    return event.subject;
  }
  return '';
};

test('following begins with what comes next, with the first event, or behind an event or a cursor', async () => {
  const vault = await openMemoryVault();
  const first = await happen(vault, 'a');
  await happen(vault, 'b');
  await happen(vault, 'c');
  const { cursor } = await list(vault, { limit: 2 });
  expect(await firstOf(vault, { from: 'start' })).toBe('a');
  expect(await firstOf(vault, { after: first })).toBe('b');
  expect(await firstOf(vault, { after: cursor })).toBe('c');
  expect(await firstOf(vault, { from: 'start', subject: 'c' })).toBe('c');
  const { follow } = await followEvents.open(vault, reader, {});
  await happen(vault, 'd');
  for await (const { event } of follow(new AbortController().signal)) {
    expect(event.subject).toBe('d');
    break;
  }
});

test('an event that the log does not hold is no place to begin', async () => {
  const vault = await openMemoryVault();
  await expect(followEvents.open(vault, reader, { after: '0198c7a5-0000-7000-8000-000000000000' })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { issues: [{ field: 'after' }] },
  });
});

test('following needs read:event', async () => {
  const vault = await openMemoryVault();
  await expect(followEvents.open(vault, person('write:event'), {})).rejects.toMatchObject({ code: 'forbidden' });
  expect([
    mayFollowEvents(vault, reader),
    mayFollowEvents(vault, person('write:event')),
    mayFollowEvents(vault, { principal: null }),
  ]).toEqual([true, false, false]);
});
