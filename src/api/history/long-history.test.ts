import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { createMemoryContentStore, mostVersions, readVersions } from '#projections';
import { createMemoryStore } from '#stores/memory';
import { blameDocument } from './blame-document.ts';

const workspaceId = 'ws-acme';
const path = 'rules/long.md';

/** A document with this many versions, of which each changes one line; a line of its own stands there from the first one on. */
const longHistory = async (count: number) => {
  const { events, vfs } = createMemoryStore();
  const contents = createMemoryContentStore();
  const ids: string[] = [];
  let before: string | null = null;
  let text = '';
  for (let version = 0; version < count; version += 1) {
    text = `first\nversion ${version}\n`;
    const after = hashContent(text);
    const event = sampleEvent({
      workspace_id: workspaceId,
      subject: path,
      action: before === null ? 'create' : 'replace',
      before_hash: before,
      after_hash: after,
    });
    await events.append(event);
    await contents.keep([{ hash: after, bytes: new TextEncoder().encode(text) }]);
    ids.push(event.event_id);
    before = after;
  }
  await vfs.writeAtomic(path, new TextEncoder().encode(text), { ifAbsent: true });
  return { source: { events, vfs, contents, workspaceId }, ids };
};

test('ten thousand versions are followed to the first one', async () => {
  const { source, ids } = await longHistory(mostVersions);
  const blame = await blameDocument(source, path);
  expect(blame.body.map(({ event_id }) => event_id)).toEqual([ids[0], ids.at(-1)]);
  expect(blame).toMatchObject({ complete: true, note: null });
}, 60_000);

test('beyond them it says where it stopped', async () => {
  const { source, ids } = await longHistory(mostVersions + 5);
  const blame = await blameDocument(source, path);
  expect(blame.body).toMatchObject([
    { origin: 'unknown', event_id: ids[5] },
    { origin: 'event', event_id: ids.at(-1) },
  ]);
  expect(blame.complete).toBe(false);
  expect(blame.note).toContain('5 are older');
}, 60_000);

test('versions up to an event are the newest ones before it, however many came after', async () => {
  const { source, ids } = await longHistory(40);
  const found = await readVersions(source, path, { upTo: ids[29]!, most: 4 });
  expect(found?.versions.map(({ event }) => event.event_id)).toEqual(ids.slice(26, 30));
  expect(found?.earlier).toBe(26);
  expect(await readVersions(source, path, { upTo: 'nothing' })).toBeNull();
});
