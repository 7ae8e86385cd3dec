import { expect, test } from 'vitest';
import { freshKey, memory, operation, rule, serve } from './served-vault.ts';

test('a commit is answered with 201, its replay, its rehearsal and what changes nothing with 200', async () => {
  const { submit } = await serve();
  const envelope = operation('rules/a.md');
  const first = await submit(envelope);
  expect(first).toMatchObject({ status: 201, body: { success: true, path: 'rules/a.md', event_id: expect.any(String) } });
  const again = await submit(envelope);
  expect(again).toMatchObject({ status: 200, body: { replay: true, event_id: first.body.event_id } });
  expect(await submit(operation('rules/b.md', rule(), { dry_run: true }))).toMatchObject({ status: 200, body: { committed_at: null } });
  expect(await submit(operation('rules/a.md'))).toMatchObject({ status: 200, body: { unchanged: true } });
});

test('every refusal carries the status of its code', async () => {
  const { submit, admit, request, vault } = await serve({ policy: { lease_required: ['leased/**'] } });
  await submit(operation('rules/a.md'));
  const used = operation('rules/c.md');
  await submit(used);
  const reader = await admit('reader', ['ssss:rule:read'], 'agent');
  const cases: readonly [
    number,
    string,
    Promise<{ readonly status: number; readonly body: { readonly error?: { readonly code: string } } }>,
  ][] = [
    [400, 'invalid_request', submit({ type: 'nonsense' })],
    [401, 'unauthorized', submit(operation('rules/x.md'), { token: 'sheaf_wrong' })],
    [403, 'forbidden', submit(operation('rules/x.md'), { token: reader })],
    [403, 'forbidden', submit(operation('rules/x.md', rule(), { workspace_id: 'ws-other' }))],
    [404, 'not_found', submit({ type: 'delete', workspace_id: 'ws-a', idempotency_key: freshKey(), path: 'rules/none.md' })],
    [409, 'lease_conflict', submit(operation('leased/a.md'))],
    [409, 'version_conflict', submit(operation('rules/a.md', rule('New.')), { headers: { 'if-none-match': '*' } })],
    [409, 'idempotency_conflict', submit({ ...used, content: rule('Other.') })],
    [422, 'validation_failed', submit(operation('rules/x.md', '---\ntype: rule\n---\n'))],
  ];
  for (const [status, code, answer] of cases) expect(await answer).toMatchObject({ status, body: { success: false, error: { code } } });
  expect(await vault.read('rules/x.md')).toBeNull();
  expect((await request('/v1/documents/rules/x.md')).status).toBe(404);
});

test('a validation failure brings the repair block that names the field', async () => {
  const { submit } = await serve();
  const { body } = await submit(operation('memory/a.md', memory().replace('slug: m\n', '')));
  expect(body.repair?.field_errors).toContainEqual(expect.objectContaining({ field: 'slug', issue: expect.any(String) }));
});

test('If-Match lets a write through only on the version that was read', async () => {
  const { submit, request } = await serve();
  await submit(operation('rules/a.md'));
  const etag = (await request('/v1/documents/rules/a.md')).headers.get('etag') ?? '';
  expect(await submit(operation('rules/a.md', rule('Second.')), { headers: { 'if-match': etag } })).toMatchObject({ status: 201 });
  expect(await submit(operation('rules/a.md', rule('Third.')), { headers: { 'if-match': etag } })).toMatchObject({
    status: 409,
    body: { error: { code: 'version_conflict' } },
  });
});

test('a condition that cannot be read is refused, never dropped', async () => {
  const { submit, vault } = await serve();
  const hash = `sha256:${'0'.repeat(64)}`;
  for (const headers of [
    { 'if-match': hash },
    { 'if-match': '*' },
    { 'if-match': `W/"${hash}"` },
    { 'if-match': `"${hash}", "${hash}"` },
    { 'if-none-match': `"${hash}"` },
    { 'if-match': `"${hash}"`, 'if-none-match': '*' },
    { 'sheaf-correlation-id': '' },
  ] as readonly Record<string, string>[]) {
    expect(await submit(operation('rules/a.md'), { headers }), JSON.stringify(headers)).toMatchObject({ status: 400 });
  }
  expect(await vault.read('rules/a.md')).toBeNull();
});

test('correlation and cause come from their headers and stand in the event', async () => {
  const { submit, vault } = await serve();
  const cause = await submit(operation('rules/a.md'));
  const effect = await submit(operation('rules/b.md'), {
    headers: { 'sheaf-correlation-id': 'job-7', 'sheaf-causation-id': cause.body.event_id ?? '' },
  });
  expect(await vault.event(effect.body.event_id ?? '')).toMatchObject({ correlation_id: 'job-7', causation_id: cause.body.event_id });
});

test('identity inside an envelope means nothing', async () => {
  const { submit, vault } = await serve();
  const { body } = await submit(operation('rules/a.md', rule(), { actor: { id: 'root', role: 'system' }, principal: { kind: 'system' } }));
  expect((await vault.event(body.event_id ?? ''))?.principal).toMatchObject({ id: 'tester', kind: 'human' });
});

test('what policy wants confirmed needs the request hash in Sheaf-Confirm', async () => {
  const { submit } = await serve({ policy: { confirm: [{ actions: ['create'] }] } });
  const envelope = operation('rules/a.md');
  const refused = await submit(envelope);
  expect(refused).toMatchObject({ status: 403 });
  const hash = /[0-9a-f]{64}/.exec(refused.body.error?.message ?? '')?.[0] ?? '';
  const full = refused.body.error?.message.includes(`sha256:${hash}`) ? `sha256:${hash}` : hash;
  expect(await submit(envelope, { headers: { 'sheaf-confirm': full } })).toMatchObject({ status: 201 });
});
