import { expect, test } from 'vitest';
import { type Envelope, SheafError } from '#server/http/client';
import { rule } from '../server/served-vault.ts';
import { serveClient } from './served-client.ts';

const write = (path: string, body = 'Body.'): Envelope => ({ type: 'operation', path, content: rule(body) });

const subjectsOf = async (vault: Awaited<ReturnType<typeof serveClient>>['vault']): Promise<string[]> => {
  const subjects: string[] = [];
  for await (const { event } of vault.events()) subjects.push(event.subject);
  return subjects;
};

test('an envelope is committed; workspace and key are added where they are missing', async () => {
  const { client, vault } = await serveClient();
  const response = await client.submit(write('rules/a.md'));
  expect(response).toMatchObject({ success: true, path: 'rules/a.md', type: 'operation', validation: { type: 'ssss:rule' } });
  expect(await vault.read('rules/a.md')).toMatchObject({ text: rule() });
});

test('a refusal by the contract is a response, with what to do about it', async () => {
  const { client } = await serveClient();
  expect(await client.submit({ type: 'operation', path: 'rules/a.md', content: rule().replace('name: R\n', '') })).toMatchObject({
    success: false,
    error: { code: 'validation_failed' },
    repair: { field_errors: [{ field: 'name' }] },
  });
});

test('when answers are lost it asks again under the same key, and the write happens once', async () => {
  const { client, network, vault } = await serveClient();
  await client.workspace();
  network.loseAnswers(2);
  expect(await client.submit(write('rules/a.md'))).toMatchObject({ success: true, replay: true });
  const keys = network.requests.slice(1).map(({ body }) => (JSON.parse(body ?? '') as Envelope).idempotency_key);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(await subjectsOf(vault)).toEqual(['rules/a.md']);
});

test('two envelopes without keys are two writes', async () => {
  const { client, vault } = await serveClient();
  const event: Envelope = { type: 'event', path: 'shop/door', content: '{"event_type":"opened"}' };
  await client.submit(event);
  await client.submit(event);
  expect(await subjectsOf(vault)).toEqual(['shop/door', 'shop/door']);
});

test('a server that is away is asked a few times, then the failure is told', async () => {
  const { clientOf, network } = await serveClient();
  const client = await clientOf('patient', undefined, { attempts: 2, workspaceId: 'ws-a' });
  network.loseRequests(2);
  await expect(client.submit(write('rules/a.md'))).rejects.toThrow(TypeError);
  expect(network.requests).toHaveLength(2);
});

test('a busy server is asked again when it says so', async () => {
  const { client, network, vault } = await serveClient();
  await client.workspace();
  const busy = () => new Response('busy', { status: 429, headers: { 'retry-after': '0' } });
  network.answer(2, busy);
  expect(await client.submit(write('rules/a.md'))).toMatchObject({ success: true });
  expect(await subjectsOf(vault)).toEqual(['rules/a.md']);
});

test('what something in between answers is thrown as an error with the code of its status', async () => {
  const { client, network } = await serveClient();
  await client.workspace();
  network.answer(1, () => new Response('<html>too large</html>', { status: 413 }));
  await expect(client.submit(write('rules/a.md'))).rejects.toMatchObject({ code: 'payload_too_large', status: 413 });
});

test('a stale write is refused, and a document that must be new is not replaced', async () => {
  const { client } = await serveClient();
  await client.submit(write('rules/a.md', 'one'));
  expect(await client.submit(write('rules/a.md', 'two'), { ifMatch: `sha256:${'0'.repeat(64)}` })).toMatchObject({
    error: { code: 'version_conflict' },
  });
  expect(await client.submit(write('rules/a.md', 'two'), { ifMatch: null })).toMatchObject({ error: { code: 'version_conflict' } });
});

test('correlation and causation reach the log', async () => {
  const { client, vault } = await serveClient();
  const first = await client.submit(write('rules/a.md'), { correlationId: 'flow-1' });
  const cause = first.success ? (first.event_id ?? '') : '';
  const second = await client.submit(write('rules/b.md'), { correlationId: 'flow-1', causationId: cause });
  expect(await vault.event((second.success && second.event_id) || '')).toMatchObject({ correlation_id: 'flow-1', causation_id: cause });
});

test('an aborted request is not made again', async () => {
  const { client, network } = await serveClient();
  await client.workspace();
  const controller = new AbortController();
  controller.abort();
  await expect(client.submit(write('rules/a.md'), { signal: controller.signal })).rejects.toThrow(/abort/i);
  expect(network.requests).toHaveLength(2);
});

test('waiting for the next try ends when it is aborted', async () => {
  const { client, network } = await serveClient();
  await client.workspace();
  network.answer(1, () => new Response('busy', { status: 503, headers: { 'retry-after': '50' } }));
  const controller = new AbortController();
  const submitting = client.submit(write('rules/a.md'), { signal: controller.signal });
  await expect.poll(() => network.requests.length).toBe(2);
  controller.abort(new Error('changed my mind'));
  await expect(submitting).rejects.toThrow('changed my mind');
});

test('many envelopes are answered in their order, refused ones in place', async () => {
  const { client } = await serveClient();
  const envelopes = Array.from(
    { length: 450 },
    (_, index): Envelope =>
      index % 100 === 7
        ? { type: 'delete', path: `rules/${index}.md` }
        : { type: 'event', path: `s/${index}`, content: '{"event_type":"x"}' },
  );
  const paths: (string | null)[] = [];
  const refused: (string | null)[] = [];
  for await (const response of client.submitAll(envelopes)) {
    paths.push(response.path);
    if (!response.success) refused.push(response.path);
  }
  expect(paths).toEqual(envelopes.map(({ path }) => path));
  expect(refused).toEqual(['rules/7.md', 'rules/107.md', 'rules/207.md', 'rules/307.md', 'rules/407.md']);
});

test('a broken connection loses no envelope and repeats none', async () => {
  const { client, network, vault } = await serveClient();
  await client.workspace();
  network.breakAfter(3);
  network.loseRequests(1);
  network.breakAfter(5);
  const envelopes = Array.from(
    { length: 20 },
    (_, index): Envelope => ({ type: 'event', path: `s/${index}`, content: '{"event_type":"x"}' }),
  );
  const paths: (string | null)[] = [];
  for await (const response of client.submitAll(envelopes)) paths.push(response.path);
  expect(paths).toEqual(envelopes.map(({ path }) => path));
  expect((await subjectsOf(vault)).toSorted()).toEqual(envelopes.map(({ path }) => path).toSorted());
});

test('who may not write gets the refusal, and an unknown token is told so', async () => {
  const { clientOf } = await serveClient();
  const reader = await clientOf('reader', ['read:event'], { workspaceId: 'ws-a' });
  expect(await reader.submit(write('rules/a.md'))).toMatchObject({ success: false, error: { code: 'forbidden' } });
  const nobody = await clientOf('nobody', [], { token: () => 'no-such-token', workspaceId: 'ws-a' });
  expect(await nobody.submit(write('rules/a.md'))).toMatchObject({ success: false, error: { code: 'unauthorized' } });
  await expect(nobody.documents.read('rules/a.md')).rejects.toBeInstanceOf(SheafError);
});
