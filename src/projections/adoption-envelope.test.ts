import { expect, test } from 'vitest';
import { hashContent } from '#document';
import { createMemoryStore } from '#stores/memory';
import { adoptionEnvelope } from './adoption-envelope.ts';
import { findPendingConflict } from './pending-conflict.ts';
import { vaultHash } from './scan-vault.ts';

const adoption = {
  workspaceId: 'ws',
  path: 'a.md',
  action: 'replace',
  primitiveId: 'ssss:rule',
  beforeHash: 'sha256:1',
  afterHash: 'sha256:2',
} as const;

test('an adoption is an event about the path whose key follows from workspace, path and both hashes', () => {
  const envelope = adoptionEnvelope(adoption);
  expect(envelope).toMatchObject({ type: 'event', workspace_id: 'ws', path: 'a.md' });
  expect(envelope.idempotency_key).toBe(`adopt-${hashContent('["ws","a.md","sha256:1","sha256:2"]').slice(7)}`);
  expect(JSON.parse(envelope.content ?? '')).toEqual({
    event_type: 'document_adopted',
    action: 'replace',
    primitive_id: 'ssss:rule',
    before_hash: 'sha256:1',
    after_hash: 'sha256:2',
  });
  expect(adoptionEnvelope({ ...adoption, after: 'e1' }).idempotency_key).not.toBe(envelope.idempotency_key);
});

test('the vault hash is over sorted lines of hash and path', () => {
  const documents = [
    { path: 'b.md', hash: 'sha256:bb' },
    { path: 'a.md', hash: 'sha256:aa' },
  ];
  expect(vaultHash(documents)).toBe(hashContent('aa a.md\nbb b.md\n'));
  expect(vaultHash(documents.toReversed())).toBe(vaultHash(documents));
  expect(vaultHash([])).toBe(hashContent(''));
});

test('a pending conflict is found by the slug of the new memory; a resolved or foreign one is not', async () => {
  const { vfs } = createMemoryStore();
  const put = (path: string, text: string) => vfs.writeAtomic(path, new TextEncoder().encode(text), { ifAbsent: true });
  await put('conflicts/c1.md', '---\ntype: conflict\nstatus: resolved\nnew_slug: html\n---\n');
  await put('conflicts/c2.md', '---\ntype: ssss:conflict\nstatus: pending\nnew_slug: html\n---\n');
  await put('conflicts/note.md', 'new_slug: other\n');
  expect(await findPendingConflict(vfs, 'html')).toBe('conflicts/c2.md');
  expect(await findPendingConflict(vfs, 'other')).toBeNull();
});

test('a pending conflict is found wherever it stands, by what a read model knows or by reading everything', async () => {
  const { vfs } = createMemoryStore();
  const put = (path: string, text: string) => vfs.writeAtomic(path, new TextEncoder().encode(text), { ifAbsent: true });
  await put('notes/c.md', '---\ntype: conflict\nstatus: pending\nnew_slug: html\n---\n');
  await vfs.writeAtomic('notes/odd.md', new Uint8Array([0xff]), { ifAbsent: true });
  expect(await findPendingConflict(vfs, 'html')).toBe('notes/c.md');
  expect(await findPendingConflict(vfs, 'html', async () => ['notes/c.md'])).toBe('notes/c.md');
  expect(await findPendingConflict(vfs, 'html', async () => ['notes/gone.md'])).toBeNull();
  expect(await findPendingConflict(vfs, 'html', () => Promise.reject(new Error('no database')))).toBe('notes/c.md');
  await vfs.writeAtomic('conflicts/odd.md', new Uint8Array([0xff]), { ifAbsent: true });
  await expect(findPendingConflict(vfs, 'html', async () => [])).rejects.toThrow();
});
