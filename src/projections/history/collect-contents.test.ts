import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { createMemoryStore } from '#stores/memory';
import { collectContents } from './collect-contents.ts';
import { createMemoryContentStore } from './memory-content-store.ts';

const workspaceId = 'ws-acme';
const day = 86_400_000;
const start = Date.UTC(2026, 4, 1);
const at = (days: number): string => new Date(start + days * day).toISOString();

/** A document that had one version a day, each kept when it was written. */
const versionsOf = async (texts: readonly string[]) => {
  const { events } = createMemoryStore();
  let now = start;
  const contents = createMemoryContentStore(undefined, () => now);
  let before: string | null = null;
  for (const [index, text] of texts.entries()) {
    now = start + index * day;
    const after = hashContent(text);
    await events.append(
      sampleEvent({
        workspace_id: workspaceId,
        subject: 'a.md',
        action: 'replace',
        before_hash: before,
        after_hash: after,
        timestamp: at(index),
      }),
    );
    await contents.keep([{ hash: after, bytes: new TextEncoder().encode(text) }]);
    before = after;
  }
  const source = { contents, events, workspaceId, now: new Date(start + texts.length * day) };
  const held = async () =>
    (await Promise.all(texts.map(async text => ((await contents.find(hashContent(text))) === null ? [] : [text])))).flat();
  return { source, contents, held };
};

test('without a limit nothing is removed', async () => {
  const { source, held } = await versionsOf(['one', 'two', 'three']);
  expect(await collectContents(source, {})).toEqual({ kept: { contents: 3, bytes: 11 }, removed: { contents: 0, bytes: 0 } });
  expect(await held()).toEqual(['one', 'two', 'three']);
});

test('what a document came back to while the log was read stays', async () => {
  const { source, held } = await versionsOf(['one', 'two', 'three']);
  const { events } = source;
  const replay: typeof events.replay = async function* (query) {
    yield* events.replay(query);
    const hash = hashContent('one');
    await events.append(
      sampleEvent({ workspace_id: workspaceId, subject: 'a.md', action: 'replace', before_hash: hashContent('three'), after_hash: hash }),
    );
  };
  await collectContents({ ...source, events: { ...events, replay }, now: new Date(start + 400 * day) }, { maxAgeDays: 1 });
  expect(await held()).toEqual(['one']);
});

test('what was replaced too long ago goes; what the document holds now stays, however old it is', async () => {
  const { source, held } = await versionsOf(['one', 'two', 'three', 'four']);
  const now = new Date(start + 400 * day);
  // `one` was replaced on the second day, `two` on the third.
  expect(await collectContents({ ...source, now: new Date(start + 4 * day) }, { maxAgeDays: 2.5 })).toMatchObject({
    removed: { contents: 1 },
  });
  expect(await held()).toEqual(['two', 'three', 'four']);
  await collectContents({ ...source, now }, { maxAgeDays: 1 });
  expect(await held()).toEqual(['four']);
});

test('beyond a number of bytes the contents replaced longest ago go first, and a rehearsal removes none', async () => {
  const { source, held } = await versionsOf(['one', 'two', 'three', 'four']);
  const told = { kept: { contents: 2, bytes: 9 }, removed: { contents: 2, bytes: 6 } };
  expect(await collectContents(source, { maxBytes: 10 }, { dryRun: true })).toEqual(told);
  expect(await held()).toEqual(['one', 'two', 'three', 'four']);
  expect(await collectContents(source, { maxBytes: 10 })).toEqual(told);
  expect(await held()).toEqual(['three', 'four']);
  await collectContents(source, { maxBytes: 0 });
  expect(await held()).toEqual(['four']);
});

test('a content that came back into use counts from when it was used last', async () => {
  const { source, held } = await versionsOf(['one', 'two', 'one', 'three']);
  await collectContents(source, { maxBytes: 8 });
  expect([...new Set(await held())]).toEqual(['one', 'three']);
});

test('what was kept within the last minute stays, because its event may not be seen yet', async () => {
  const { source, contents } = await versionsOf(['one']);
  const fresh = hashContent('in flight');
  const young = createMemoryContentStore(undefined, () => source.now.getTime() - 30_000);
  await young.keep([{ hash: fresh, bytes: new TextEncoder().encode('in flight') }]);
  await collectContents({ ...source, contents: young }, { maxBytes: 0, maxAgeDays: 0 });
  expect(await young.find(fresh)).not.toBeNull();
  const orphan = createMemoryContentStore(undefined, () => source.now.getTime() - 90_000);
  await orphan.keep([{ hash: fresh, bytes: new TextEncoder().encode('in flight') }]);
  await collectContents({ ...source, contents: orphan }, { maxBytes: 0 });
  expect(await orphan.find(fresh)).toBeNull();
  expect(await contents.find(hashContent('one'))).not.toBeNull();
});
