import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CanonicalEvent, EventStore, Replayed } from '#adapter-contracts';
import { sampleEvent } from '#adapter-contracts/testing';
import { openFsStore } from '#stores/fs';
import { createMemoryStore } from '#stores/memory';
import { createEventFeed } from './event-feed.ts';

const workspaceId = 'ws-acme';

const sampleEvents = (count: number): CanonicalEvent[] => Array.from({ length: count }, () => sampleEvent());

const feedOver = (events: EventStore) => {
  const feed = createEventFeed({ events, workspaceId });
  onTestFinished(() => feed.close());
  return feed;
};

const openFiles = async (options: { readonly segmentBytes?: number; readonly root?: string } = {}) => {
  const root = options.root ?? mkdtempSync(join(tmpdir(), 'sheaf-feed-'));
  if (options.root === undefined) onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = await openFsStore({
    root,
    workspaceId,
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
  });
  onTestFinished(() => store.close());
  return { root, events: store.events };
};

const append = async (events: EventStore, all: readonly CanonicalEvent[]): Promise<void> => {
  for (const event of all) await events.append(event);
};

/** The next `count` ids that a follower gets. */
const take = async (following: AsyncIterator<Replayed>, count: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < count) {
    const { value, done } = await following.next();
    if (done === true) break;
    ids.push((value as Replayed).event.event_id);
  }
  return ids;
};

const idsOf = (all: readonly CanonicalEvent[]): string[] => all.map(event => event.event_id);
const iterate = (events: AsyncIterable<Replayed>): AsyncIterator<Replayed> => events[Symbol.asyncIterator]();

test('a follower gets what there is and then what comes, each event once and in order', async () => {
  const { events } = createMemoryStore();
  const feed = feedOver(events);
  const all = sampleEvents(300);
  await append(events, all.slice(0, 100));
  const following = iterate(feed.follow());
  expect(await take(following, 100)).toEqual(idsOf(all.slice(0, 100)));
  const rest = take(following, 200);
  for (const event of all.slice(100)) {
    await events.append(event);
    feed.poke();
  }
  expect(await rest).toEqual(idsOf(all.slice(100)));
});

test('events appended while a follower still reads the past come once, and in their place', async () => {
  const { events } = await openFiles();
  const feed = feedOver(events);
  const all = sampleEvents(400);
  await append(events, all.slice(0, 200));
  const following = iterate(feed.follow());
  const seen: string[] = [];
  for (const event of all.slice(200)) {
    seen.push(...(await take(following, 1)));
    await events.append(event);
    feed.poke();
  }
  expect([...seen, ...(await take(following, 200))]).toEqual(idsOf(all));
});

test('a follower goes on behind any cursor, across segments and in a feed made later', async () => {
  const { events, root } = await openFiles({ segmentBytes: 2_000 });
  const all = sampleEvents(40);
  await append(events, all);
  const cursors: string[] = [];
  for await (const { cursor } of events.replay()) cursors.push(cursor);
  const reopened = await openFiles({ root, segmentBytes: 2_000 });
  const feed = feedOver(reopened.events);
  for (const [index, cursor] of cursors.entries()) {
    if (index % 7 !== 0) continue;
    const following = iterate(feed.follow({ cursor }));
    expect(await take(following, all.length - index - 1)).toEqual(idsOf(all.slice(index + 1)));
  }
  const following = iterate(feed.follow({ cursor: (await events.end()) ?? '' }));
  const next = sampleEvent();
  const first = take(following, 1);
  await events.append(next);
  expect(await first).toEqual([next.event_id]);
});

test('what another process appends arrives without a word from it', async () => {
  const { events, root } = await openFiles();
  const elsewhere = await openFiles({ root });
  const following = iterate(feedOver(events).follow());
  for (const event of sampleEvents(3)) {
    const next = take(following, 1);
    await elsewhere.events.append(event);
    expect(await next).toEqual([event.event_id]);
  }
});

test('a store without hints is looked at from time to time', async () => {
  const { events } = createMemoryStore();
  const following = iterate(feedOver(events).follow());
  const next = take(following, 1);
  const event = sampleEvent();
  await events.append(event);
  expect(await next).toEqual([event.event_id]);
});

test('a filter passes by what it does not ask for, and reads nothing twice', async () => {
  const { events } = createMemoryStore();
  const replays: (string | undefined)[] = [];
  const counted: EventStore = {
    ...events,
    replay(options) {
      replays.push(options?.cursor);
      return events.replay(options);
    },
  };
  const feed = feedOver(counted);
  await append(events, [...sampleEvents(500), sampleEvent({ subject: 'rules/a.md' })]);
  const following = iterate(feed.follow({ subject: 'rules/' }));
  await take(following, 1);
  const next = take(following, 1);
  const wanted = sampleEvent({ subject: 'rules/b.md' });
  await append(events, [...sampleEvents(500), wanted]);
  feed.poke();
  expect(await next).toEqual([wanted.event_id]);
  expect(replays.filter(cursor => cursor === undefined)).toHaveLength(1);
});

test('events of other workspaces in the same log are passed by', async () => {
  const { events } = createMemoryStore();
  const feed = feedOver(events);
  const own = sampleEvents(2);
  await append(events, [sampleEvent({ workspace_id: 'ws-other' }), own[0]!, sampleEvent({ workspace_id: 'ws-other' })]);
  const following = iterate(feed.follow());
  expect(await take(following, 1)).toEqual([own[0]!.event_id]);
  const next = take(following, 1);
  await append(events, [sampleEvent({ workspace_id: 'ws-other' }), own[1]!]);
  feed.poke();
  expect(await next).toEqual([own[1]!.event_id]);
});

test('a follower that falls far behind misses nothing and does not hold up the others', async () => {
  const { events } = createMemoryStore();
  const replays: (string | undefined)[] = [];
  const feed = feedOver({
    ...events,
    replay(options) {
      replays.push(options?.cursor);
      return events.replay(options);
    },
  });
  const first = sampleEvent();
  await events.append(first);
  const slow = iterate(feed.follow());
  const quick = iterate(feed.follow());
  expect(await take(slow, 1)).toEqual([first.event_id]);
  // More than are kept for those who are late.
  const all = sampleEvents(6_000);
  const arriving = take(quick, 6_001);
  await append(events, all);
  feed.poke();
  expect(await arriving).toEqual([first.event_id, ...idsOf(all)]);
  replays.length = 0;
  expect(await take(slow, 6_000)).toEqual(idsOf(all));
  expect(replays.length).toBeGreaterThan(40);
});

test('a thousand followers read the log once between them', async () => {
  const { events } = createMemoryStore();
  let read = 0;
  const counted: EventStore = {
    ...events,
    async *replay(options) {
      for await (const replayed of events.replay(options)) {
        read += 1;
        yield replayed;
      }
    },
  };
  const feed = feedOver(counted);
  const followers = Array.from({ length: 1_000 }, () => iterate(feed.follow()));
  const start = sampleEvent();
  await events.append(start);
  await Promise.all(followers.map(follower => take(follower, 1)));
  read = 0;
  const all = sampleEvents(20);
  const arriving = Promise.all(followers.map(follower => take(follower, 20)));
  await append(events, all);
  feed.poke();
  for (const ids of await arriving) expect(ids).toEqual(idsOf(all));
  expect(read).toBe(20);
});

test('an aborted follower ends without an error, also while it waits', async () => {
  const { events } = createMemoryStore();
  const feed = feedOver(events);
  const controller = new AbortController();
  const waiting = iterate(feed.follow({ signal: controller.signal })).next();
  controller.abort();
  expect(await waiting).toEqual({ value: undefined, done: true });
  expect(await iterate(feed.follow({ signal: controller.signal })).next()).toEqual({ value: undefined, done: true });
});

test('closing the feed ends everybody who follows', async () => {
  const { events } = createMemoryStore();
  const feed = feedOver(events);
  const waiting = [iterate(feed.follow()).next(), iterate(feed.follow()).next()];
  await new Promise(resolve => setImmediate(resolve));
  feed.close();
  expect(await Promise.all(waiting)).toEqual([
    { value: undefined, done: true },
    { value: undefined, done: true },
  ]);
});

test('a cursor that the log does not know is refused', async () => {
  const { events } = createMemoryStore();
  await expect(iterate(feedOver(events).follow({ cursor: 'nonsense' })).next()).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a log that can no longer be read is an error for everybody, and a later follower tries again', async () => {
  const { events } = createMemoryStore();
  let broken = false;
  const failing: EventStore = {
    ...events,
    replay(options) {
      if (broken) throw new Error('the disk is gone');
      return events.replay(options);
    },
  };
  const feed = feedOver(failing);
  const event = sampleEvent();
  await events.append(event);
  const followers = [iterate(feed.follow()), iterate(feed.follow())];
  await Promise.all(followers.map(follower => take(follower, 1)));
  const waiting = followers.map(follower => take(follower, 1));
  broken = true;
  feed.poke();
  for (const one of waiting) await expect(one).rejects.toThrow('the disk is gone');
  broken = false;
  expect(await take(iterate(feed.follow()), 1)).toEqual([event.event_id]);
});
