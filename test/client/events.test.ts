import { expect, test } from 'vitest';
import type { CanonicalEvent, SheafClient } from '#server/http/client';
import { serveClient } from './served-client.ts';

const take = async (events: AsyncIterator<CanonicalEvent>, count: number): Promise<string[]> => {
  const subjects: string[] = [];
  while (subjects.length < count) {
    const { value, done } = await events.next();
    if (done === true) break;
    subjects.push((value as CanonicalEvent).subject);
  }
  return subjects;
};

const happen = (client: SheafClient, subject: string) => client.events.record(subject, { event_type: 'happened' });

test('the log is read in pages, listed, shown and traced', async () => {
  const { client } = await serveClient();
  const { event_id: id = '' } = await happen(client, 'a/1');
  await client.events.record('b/1', { event_type: 'happened' }, { causationId: id, correlationId: 'flow' });
  const listed: CanonicalEvent[] = [];
  for await (const event of client.events.list()) listed.push(event);
  expect(listed.map(event => event.subject)).toEqual(['a/1', 'b/1']);
  expect(await client.events.show(id)).toEqual(listed[0]);
  expect((await client.events.trace('flow')).nodes.map(({ event }) => event.subject)).toContain('b/1');
  const page = await client.events.page({ subject: 'a/', limit: 1 });
  expect(page).toMatchObject({ events: [{ subject: 'a/1' }], more: false });
  await happen(client, 'a/2');
  expect(await client.events.page({ subject: 'a/', cursor: page.cursor ?? '' })).toMatchObject({ events: [{ subject: 'a/2' }] });
});

test('events are followed as they come, whole', async () => {
  const { client, vault } = await serveClient();
  const controller = new AbortController();
  let opened: () => void = () => undefined;
  const open = new Promise<void>(resolve => (opened = resolve));
  const following = client.events.follow({ signal: controller.signal, onConnection: opened });
  const first = following.next();
  await open;
  const { event_id: id = '' } = await happen(client, 'a');
  expect((await first).value).toEqual(await vault.event(id));
  controller.abort();
  expect(await following.next()).toEqual({ value: undefined, done: true });
});

test('a connection that breaks again and again misses no event and repeats none', async () => {
  const { client, network } = await serveClient();
  const subjects = Array.from({ length: 12 }, (_, index) => `s/${index}`);
  for (const subject of subjects) await happen(client, subject);
  const lost: unknown[] = [];
  // An event is three lines; some breaks fall into the middle of one.
  network.breakAfter(7);
  network.breakAfter(11);
  network.loseRequests(1);
  network.answer(1, () => new Response('restarting', { status: 503 }));
  network.breakAfter(9);
  const following = client.events.follow({
    from: 'start',
    onConnection: state => void (state === 'lost' && lost.push(state)),
  });
  expect(await take(following, 12)).toEqual(subjects);
  expect(lost.length).toBeGreaterThanOrEqual(5);
  await following.return(undefined);
}, 60_000);

test('following begins behind any event', async () => {
  const { client } = await serveClient();
  const { event_id: id = '' } = await happen(client, 'a');
  await happen(client, 'b');
  const following = client.events.follow({ after: id });
  expect(await take(following, 1)).toEqual(['b']);
  await following.return(undefined);
});

test('a refusal for good is thrown: no right, an unknown place, a revoked token', async () => {
  const { client, clientOf, vault } = await serveClient();
  const writer = await clientOf('writer', ['write:event']);
  await expect(writer.events.follow().next()).rejects.toMatchObject({ code: 'forbidden', status: 403 });
  await expect(client.events.follow({ after: 'nobody' }).next()).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  const reader = await clientOf('reader', ['read:event']);
  let opened: () => void = () => undefined;
  const open = new Promise<void>(resolve => (opened = resolve));
  const waiting = reader.events.follow({ onConnection: opened }).next();
  await open;
  await vault.principals.revoke('reader');
  await expect(waiting).rejects.toMatchObject({ code: 'unauthorized' });
});
