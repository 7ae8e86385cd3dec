import { describe, expect, test } from 'vitest';
import {
  eventStoreContract,
  idempotencyStoreContract,
  leaseStoreContract,
  type OpenOptions,
  sampleEvent,
  vfsContract,
} from '#adapter-contracts/testing';
import { createMemoryStore } from './create-memory-store.ts';

const harness = { name: 'memory', describe, test, open: async (options: OpenOptions) => createMemoryStore(options) };

vfsContract(harness);
eventStoreContract(harness);
idempotencyStoreContract(harness);
leaseStoreContract(harness);

const text = (content: string) => new TextEncoder().encode(content);

test('of creators whose names differ only by letter case one wins, even at the same time', async () => {
  const { vfs } = createMemoryStore();
  const paths = ['memory/n.md', 'memory/N.md', 'Memory/n.md', 'MEMORY/other.md'];
  const settled = await Promise.allSettled(paths.map(path => vfs.writeAtomic(path, text(path), { ifAbsent: true })));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  await expect(vfs.writeAtomic('memory/N.md', text('x'), { ifAbsent: true })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining("'memory/n.md' exists"),
  });
});

test('a document becomes a directory, and a directory a document, once what stood there is gone', async () => {
  const { vfs } = createMemoryStore();
  const file = await vfs.writeAtomic('a.md', text('x'), { ifAbsent: true });
  await vfs.remove('a.md', file);
  const inside = await vfs.writeAtomic('a.md/b.md', text('x'), { ifAbsent: true });
  await vfs.remove('a.md/b.md', inside);
  await vfs.writeAtomic('a.md', text('y'), { ifAbsent: true });
  expect(await vfs.read('a.md')).toMatchObject({ bytes: text('y') });
});

test('records handed out cannot be changed', async () => {
  const { events, idempotency, leases } = createMemoryStore();
  const event = sampleEvent({ payload: { list: [1] } });
  await events.append(event);
  const record = { request_hash: 'h', response: { warnings: ['w'] }, recorded_at: '2026-05-16T08:00:00Z' };
  await idempotency.put('ws', 'k', record);
  const lease = await leases.acquire({ workspace_id: 'ws', target: 't', principal_id: 'p', operation_id: 'o' });
  const found = await events.findById(event.event_id);
  const cached = await idempotency.get('ws', 'k');
  for (const given of [found, found?.payload, found?.principal, cached, cached?.response, lease]) expect(Object.isFrozen(given)).toBe(true);
});

test('leases end by the system’s clock unless another one is given', async () => {
  const { leases } = createMemoryStore();
  const before = Date.now();
  const { issued_at } = await leases.acquire({ workspace_id: 'ws', target: 't', principal_id: 'p', operation_id: 'o' });
  expect(Date.parse(issued_at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(issued_at)).toBeLessThanOrEqual(Date.now());
});
