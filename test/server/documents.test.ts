import { expect, test } from 'vitest';
import { memory, operation, rule, sendRaw, serve } from './served-vault.ts';

test('a document is its exact text with its hash as ETag', async () => {
  const { submit, request, vault } = await serve();
  const text = memory('Ünïcode 🌿\r\nand `---` inside.');
  await submit(operation('notes/café.md', text));
  const answer = await request('/v1/documents/notes/caf%C3%A9.md');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(answer.headers.get('etag')).toBe(`"${(await vault.read('notes/café.md'))?.hash}"`);
  expect(await answer.text()).toBe(text);
});

test('stored text is never a page: no script, no sniffing, no cache that forgets who asked', async () => {
  const { submit, request } = await serve();
  await submit(operation('rules/a.md', rule('<script>alert(1)</script>')));
  const { headers } = await request('/v1/documents/rules/a.md');
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('private, no-cache');
});

test('Accept chooses JSON', async () => {
  const { submit, request } = await serve();
  await submit(operation('rules/a.md'));
  const json = await request('/v1/documents/rules/a.md', { headers: { accept: 'application/json' } });
  expect(await json.json()).toMatchObject({ path: 'rules/a.md', type: 'ssss:rule', kind: 'document', content: rule() });
  const text = await request('/v1/documents/rules/a.md', { headers: { accept: 'text/markdown, application/json;q=0.5' } });
  expect(await text.text()).toBe(rule());
});

test('If-None-Match spares the text while it is the same, and only for who may read it', async () => {
  const { submit, request, admit } = await serve();
  await submit(operation('rules/a.md'));
  const etag = (await request('/v1/documents/rules/a.md')).headers.get('etag') ?? '';
  const known = await request('/v1/documents/rules/a.md', { headers: { 'if-none-match': etag } });
  expect([known.status, await known.text()]).toEqual([304, '']);
  await submit(operation('rules/a.md', rule('New.')));
  expect((await request('/v1/documents/rules/a.md', { headers: { 'if-none-match': etag } })).status).toBe(200);
  const token = await admit('blind', ['ssss:memory:read'], 'agent');
  expect((await request('/v1/documents/rules/a.md', { token, headers: { 'if-none-match': '*' } })).status).toBe(403);
});

test('a hidden and an absent document are refused in the same words', async () => {
  const { submit, request, admit } = await serve();
  await submit(operation('rules/a.md'));
  const token = await admit('blind', ['ssss:memory:read'], 'agent');
  const answers = await Promise.all(
    ['rules/a.md', 'rules/b.md'].map(async path => {
      const answer = await request(`/v1/documents/${path}`, { token });
      const body = (await answer.json()) as Record<string, unknown>;
      delete body.operation_id;
      return JSON.stringify([answer.status, [...answer.headers.keys()].sort(), body]).replaceAll(path, 'PATH');
    }),
  );
  expect(answers[0]).toContain('403');
  expect(answers[1]).toBe(answers[0]);
});

test('tricks in the path are refused alike, whether or not their target exists', async () => {
  const { submit, port, admit } = await serve();
  await submit(operation('rules/a.md'));
  const token = await admit('raw');
  const get = (target: string) =>
    sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
  for (const target of [
    '/v1/documents/rules/../rules/a.md',
    '/v1/documents/rules/./a.md',
    '/v1/documents/rules/%2e%2e/rules/a.md',
    '/v1/documents/rules/%2E./rules/a.md',
    '/v1/documents/rules%2fa.md',
    '/v1/documents/rules%2Fb.md',
    '/v1/documents/rules%5ca.md',
    '/v1/documents/rules/a.md%00',
    '/v1/documents//rules/a.md',
    '/v1/documents/rules//a.md',
    '/v1/documents/rules/a.md/',
    '/v1/documents/',
    '/v1/documents/%2fetc/passwd.md',
    '/v1/documents/.ssss/workspace.json',
    '/v1/documents/.SSSS/workspace.json',
    '/v1/documents/.git/config',
    '/v1/documents/%ff.md',
    '/v1/documents/%zz.md',
    '/v1/%64ocuments/rules/a.md',
  ]) {
    const answer = await get(target);
    expect(answer, target).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer, target).toContain('"code":"invalid_request"');
  }
});

test('what is encoded twice is decoded once: a name of percent signs, not a path upwards', async () => {
  const { submit, request } = await serve();
  await submit(operation('rules/a.md'));
  await submit(operation('odd/%2e%2e/a.md'));
  expect((await request('/v1/documents/rules/%252e%252e/rules/a.md')).status).toBe(404);
  expect((await request('/v1/documents/odd/%252e%252e/a.md')).status).toBe(200);
});

test('lists are bounded, continue at their cursor, and hold only what the reader may read', async () => {
  const { submit, request, admit } = await serve();
  for (const name of ['a', 'b', 'c']) await submit(operation(`rules/${name}.md`));
  await submit(operation('memory/m.md', memory()));
  const first = (await (await request('/v1/documents?limit=2&prefix=rules')).json()) as { documents: { path: string }[]; cursor: string };
  expect(first.documents.map(({ path }) => path)).toEqual(['rules/a.md', 'rules/b.md']);
  const rest = await request(`/v1/documents?limit=2&prefix=rules&cursor=${encodeURIComponent(first.cursor)}`);
  expect(await rest.json()).toMatchObject({ documents: [{ path: 'rules/c.md' }], cursor: null });
  const token = await admit('reader', ['ssss:memory:read'], 'agent');
  expect(await (await request('/v1/documents', { token })).json()).toMatchObject({ documents: [{ path: 'memory/m.md' }] });
});

test('a parameter that is unknown, doubled or no number is refused by name', async () => {
  const { request } = await serve();
  for (const [query, name] of [
    ['limt=2', 'limt'],
    ['limit=2&limit=3', 'limit'],
    ['limit=many', 'limit'],
    ['limit=1e9', 'limit'],
    ['prefix=%ff', 'query'],
  ]) {
    const answer = await request(`/v1/documents?${query}`);
    expect(answer.status, query).toBe(400);
    expect(await answer.text(), query).toContain(name);
  }
});
