import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DuplicateKeyError, type IdempotencyRecord } from '#adapter-contracts';
import type { FsStore } from './fs-store.ts';
import { openFsStore } from './open-fs-store.ts';

let root = '';
let store: FsStore;
const open = () => openFsStore({ root, workspaceId: 'ws-a' });
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'sheaf-late-'));
  store = await open();
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const record = (response: object): IdempotencyRecord => ({
  request_hash: 'sha256:1',
  response,
  recorded_at: new Date().toISOString(),
});
/** The event carries the key, so the log answers without the record. */
const committed = record({ success: true, event_id: 'event-1' });
const onlyHere = record({ success: true });

test('the record of a committed envelope is answered at once, refused twice, and there after closing', async () => {
  await store.idempotency.put('ws-a', 'k', committed);
  expect(await store.idempotency.get('ws-a', 'k')).toEqual(committed);
  expect(await store.idempotency.get('ws-b', 'k')).toBeNull();
  await expect(store.idempotency.put('ws-a', 'k', committed)).rejects.toThrow(DuplicateKeyError);
  await expect(store.idempotency.put('ws-a', 'k', onlyHere)).rejects.toThrow(DuplicateKeyError);
  await store.close();
  store = await open();
  expect(await store.idempotency.get('ws-a', 'k')).toEqual(committed);
  await expect(store.idempotency.put('ws-a', 'k', committed)).rejects.toThrow(DuplicateKeyError);
});

test('a record that no event stands for is stored before its put ends, with those that waited', async () => {
  await store.idempotency.put('ws-a', 'waits', committed);
  await store.idempotency.put('ws-a', 'k', onlyHere);
  const second = await open();
  try {
    expect(await second.idempotency.get('ws-a', 'k')).toEqual(onlyHere);
    expect(await second.idempotency.get('ws-a', 'waits')).toEqual(committed);
  } finally {
    await second.close();
  }
});

test('many waiting records are stored without being asked for', async () => {
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  await Promise.all(keys.map(key => store.idempotency.put('ws-a', key, committed)));
  const second = await open();
  try {
    const found = await Promise.all(keys.map(key => second.idempotency.get('ws-a', key)));
    expect(found.filter(each => each !== null).length).toBeGreaterThanOrEqual(128);
  } finally {
    await second.close();
  }
});
