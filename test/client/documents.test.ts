import { expect, test } from 'vitest';
import { ConflictError, type Document, redeemLink, SheafError } from '#server/http/client';
import { memory, rule } from '../server/served-vault.ts';
import { serveClient } from './served-client.ts';

test('documents are written, read, patched, listed and removed', async () => {
  const { client } = await serveClient();
  const { documents } = client;
  await documents.write('rules/été & co.md', rule(), { ifMatch: null });
  await documents.write('memory/m.md', memory());
  const document = await documents.read('rules/été & co.md');
  expect(document).toMatchObject({ path: 'rules/été & co.md', type: 'ssss:rule', kind: 'document', content: rule() });
  await documents.patch('rules/été & co.md', { title: 'Other', __body__: 'New.\n' }, { ifMatch: document?.hash });
  expect((await documents.read('rules/été & co.md'))?.content).toMatch(/title: Other\n[\s\S]*---\nNew\.\n$/);
  const paths: string[] = [];
  for await (const { path } of documents.list()) paths.push(path);
  expect(paths).toEqual(['memory/m.md', 'rules/été & co.md']);
  const memories: string[] = [];
  for await (const { path } of documents.list({ type: 'memory' })) memories.push(path);
  expect(memories).toEqual(['memory/m.md']);
  expect(await documents.page({ limit: 1 })).toMatchObject({ documents: [{ path: 'memory/m.md' }], cursor: 'memory/m.md' });
  await documents.remove('memory/m.md');
  expect(await documents.read('memory/m.md')).toBeNull();
});

test('a refused write is an error with code, status and the place of each problem', async () => {
  const { client } = await serveClient();
  const refusal = await client.documents.write('rules/a.md', rule().replace('name: R\n', '')).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SheafError);
  expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, issues: [{ field: 'name' }] });
});

test('a write under one key happens once, also when it is asked for later again', async () => {
  const { client } = await serveClient();
  const { event_id: first } = await client.documents.write('rules/a.md', rule(), { key: 'once' });
  expect(await client.documents.write('rules/a.md', rule(), { key: 'once' })).toMatchObject({ replay: true, event_id: first });
});

test('patches of different keys made from one version both stand', async () => {
  const { client, clientOf } = await serveClient();
  const other = await clientOf('other');
  await client.documents.write('rules/a.md', rule());
  const base = (await client.documents.read('rules/a.md')) as Document;
  await other.documents.update('rules/a.md', { title: 'Theirs' }, { base });
  await client.documents.update('rules/a.md', { description: 'Ours' }, { base });
  expect((await client.documents.read('rules/a.md'))?.content).toMatch(/title: Theirs\ndescription: Ours\n/);
});

test('a key that somebody else changed is surfaced with both versions, and nothing is written', async () => {
  const { client, clientOf, vault } = await serveClient();
  const other = await clientOf('other');
  await client.documents.write('rules/a.md', rule());
  const base = (await client.documents.read('rules/a.md')) as Document;
  await other.documents.update('rules/a.md', { title: 'Theirs', __body__: 'Theirs.\n' });
  const theirs = await vault.read('rules/a.md');
  const conflict = await client.documents
    .update('rules/a.md', { title: 'Ours', description: 'Ours' }, { base })
    .catch((error: unknown) => error);
  expect(conflict).toBeInstanceOf(ConflictError);
  expect(conflict).toMatchObject({ code: 'version_conflict', keys: ['title'], base: { hash: base.hash }, current: { hash: theirs?.hash } });
  expect(await vault.read('rules/a.md')).toEqual(theirs);
  const body = client.documents.update('rules/a.md', { __body__: 'Ours.\n' }, { base });
  await expect(body).rejects.toMatchObject({ keys: ['__body__'] });
});

test('a document that was deleted meanwhile is a conflict, one that never was is not found', async () => {
  const { client } = await serveClient();
  await client.documents.write('rules/a.md', rule());
  const base = (await client.documents.read('rules/a.md')) as Document;
  await client.documents.remove('rules/a.md');
  // The contract answers `not_found` to a patch of nothing before it looks at versions.
  await expect(client.documents.update('rules/a.md', { title: 'Ours' }, { base })).rejects.toMatchObject({ code: 'not_found' });
  await expect(client.documents.update('rules/b.md', { title: 'Ours' })).rejects.toMatchObject({ code: 'not_found', status: 404 });
});

test('forty updates of different keys at once all stand', async () => {
  const { client } = await serveClient();
  await client.documents.write('rules/a.md', rule());
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => client.documents.update('rules/a.md', { [`x_${index}`]: index }, { tries: 100 })),
  );
  const text = (await client.documents.read('rules/a.md'))?.content ?? '';
  expect(text.match(/^x_\d+: \d+$/gm)).toHaveLength(40);
});

test('an update whose answer is lost happens once and is no conflict with itself', async () => {
  const { client, network, vault } = await serveClient();
  await client.documents.write('rules/a.md', rule());
  const base = (await client.documents.read('rules/a.md')) as Document;
  network.loseAnswers(1);
  expect(await client.documents.update('rules/a.md', { title: 'Ours' }, { base })).toMatchObject({ success: true, replay: true });
  const subjects: string[] = [];
  for await (const { event } of vault.events()) subjects.push(event.action);
  expect(subjects).toEqual(['create', 'patch']);
});

test('leases are acquired, renewed, listed and released; another holder is refused', async () => {
  const { client, clientOf } = await serveClient();
  await client.documents.write('rules/a.md', rule());
  const lease = await client.leases.acquire('rules/a.md', { operationId: 'op-1', ttlSeconds: 60 });
  expect(lease).toMatchObject({ target: 'rules/a.md', principal_id: 'client' });
  const other = await clientOf('other');
  await expect(other.leases.acquire('rules/a.md', { operationId: 'op-2' })).rejects.toMatchObject({ code: 'lease_conflict', status: 409 });
  expect((await client.leases.renew(lease.lease_id, { operationId: 'op-1', ttlSeconds: 120 })).expires_at > lease.expires_at).toBe(true);
  expect(await client.leases.list()).toMatchObject([{ lease_id: lease.lease_id }]);
  await client.leases.release(lease.lease_id, { operationId: 'op-1' });
  expect(await client.leases.list()).toEqual([]);
});

test('a wrong one-time link gives no session', async () => {
  const { origin } = await serveClient();
  await expect(redeemLink(origin, 'wrong')).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
});
