import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Served, serve } from './served-vault.ts';

const workflow = `---
type: workflow
name: Web form
title: Web form
description: Takes what the shop's page sends.
timestamp: 2026-05-16T14:00:00Z
workflow_id: web-form
triggers:
  - type: webhook
    id: order
    x_secret: shop
  - type: manual
    id: by-hand
---
`;

const paused = workflow.replace('workflow_id: web-form', 'workflow_id: paused\nisActive: false');

const form = async (clock?: { now(): Date }): Promise<Served & { readonly secret: string }> => {
  const served = await serve(clock === undefined ? {} : { clock });
  const { vault } = served;
  for (const [path, content] of [
    ['workflows/web-form.md', workflow],
    ['workflows/paused.md', paused],
  ] as const) {
    const envelope = { type: 'operation', workspace_id: 'ws-a', idempotency_key: path, path, content };
    expect(await vault.execute(envelope, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
  }
  const { secret } = await vault.hooks.secrets.create('shop');
  return { ...served, secret };
};

const signed = (secret: string, body: string | Buffer, time = Math.floor(Date.now() / 1000)): Record<string, string> => ({
  'sheaf-signature': `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`,
});

const send = async (
  { origin }: Served,
  address: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<{ readonly status: number; readonly text: string; readonly json: Readonly<Record<string, unknown>> }> => {
  const response = await fetch(`${origin}/v1/hooks/${address}`, { method: 'POST', body: body as string, headers });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) as Record<string, unknown> };
};

const received = async ({ vault }: Served) => {
  const found: unknown[] = [];
  for await (const { event } of vault.events())
    if (event.action === 'event') found.push([event.principal.id, event.subject, event.payload]);
  return found;
};

test('a signed request becomes one event under the name of its trigger, however often it is sent', async () => {
  const served = await form();
  const body = '{"order":7}';
  const headers = { ...signed(served.secret, body), 'content-type': 'application/json' };
  const first = await send(served, 'web-form/order', body, headers);
  expect(first).toMatchObject({ status: 201, json: { replay: false, event_id: expect.any(String) as string } });
  expect(await send(served, 'web-form/order', body, headers)).toMatchObject({
    status: 200,
    json: { replay: true, event_id: first.json.event_id },
  });
  expect(await received(served)).toMatchObject([
    [
      'webhook:order',
      'workflows/web-form.md',
      { event_type: 'workflow_webhook_received', workflow_id: 'web-form', trigger_id: 'order', origin: 'external', json: { order: 7 } },
    ],
  ]);
});

test('any bytes may come, of any kind, up to 256 KiB', async () => {
  const served = await form();
  for (const [body, kind] of [
    [Buffer.from([0xff, 0xfe, 0x00]), 'application/octet-stream'],
    [Buffer.from('a=b&c=d'), 'application/x-www-form-urlencoded'],
    [Buffer.alloc(256 * 1024, 'x'), 'text/plain'],
    [Buffer.from('{"twice":1,"twice":2}'), 'application/json'],
  ] as const)
    expect(await send(served, 'web-form/order', body, { ...signed(served.secret, body), 'content-type': kind })).toMatchObject({
      status: 201,
    });
  const large = Buffer.alloc(256 * 1024 + 1, 'x');
  expect(await send(served, 'web-form/order', large, { ...signed(served.secret, large), 'content-type': 'text/plain' })).toMatchObject({
    status: 413,
  });
  expect(await received(served)).toHaveLength(4);
});

test('whatever cannot be believed gets the same answer, and leaves nothing', async () => {
  const served = await form();
  const body = '{}';
  const good = signed(served.secret, body);
  const answers = await Promise.all([
    send(served, 'web-form/order', body, {}),
    send(served, 'web-form/order', body, signed('whsec_other', body)),
    send(served, 'web-form/order', '{"a":1}', good),
    send(served, 'web-form/order', body, signed(served.secret, body, 1_000_000_000)),
    send(served, 'web-form/none', body, good),
    send(served, 'none/order', body, good),
    send(served, 'web-form/by-hand', body, good),
    send(served, 'paused/order', body, good),
    send(served, '..%2f..%2fetc/order', body, good),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  expect(new Set(answers.map(({ text }) => text.replace(/"operation_id":"[^"]+"/, ''))).size).toBe(1);
  expect(await received(served)).toEqual([]);
});

test('a secret that was taken away ends at once; the one before the newest is still good', async () => {
  const served = await form();
  const newer = await served.vault.hooks.secrets.create('shop');
  for (const [secret, body] of [
    [served.secret, 'one'],
    [newer.secret, 'two'],
  ] as const)
    expect(await send(served, 'web-form/order', body, signed(secret, body))).toMatchObject({ status: 201 });
  await served.vault.hooks.secrets.remove('shop');
  expect(await send(served, 'web-form/order', 'three', signed(newer.secret, 'three'))).toMatchObject({ status: 401 });
});

test('a sender that signs no time is heard again with the same body only after thirty days', async () => {
  let now = Date.parse('2026-05-16T08:00:00Z');
  const served = await form({ now: () => new Date(now) });
  const headers = { 'x-hub-signature-256': `sha256=${createHmac('sha256', served.secret).update('ping').digest('hex')}` };
  const statuses: number[] = [];
  for (const days of [0, 29, 31, 32, 62]) {
    now = Date.parse('2026-05-16T08:00:00Z') + days * 86_400_000;
    statuses.push((await send(served, 'web-form/order', 'ping', headers)).status);
  }
  expect(statuses).toEqual([201, 200, 201, 200, 201]);
});

test('a flood from one address is refused before anything is read', async () => {
  const served = await form();
  const answers = await Promise.all(Array.from({ length: 80 }, () => send(served, 'web-form/order', 'x', {})));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(15);
  expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(60);
});

test('neither the secret nor the signature is logged', async () => {
  const served = await form();
  const headers = signed(served.secret, 'x');
  await send(served, 'web-form/order', 'x', headers);
  await send(served, 'web-form/order', 'y', headers);
  expect(served.logText()).toContain('/v1/hooks/');
  for (const hidden of [served.secret, headers['sheaf-signature'] ?? '']) expect(served.logText()).not.toContain(hidden);
});

test('what JSON can say and an event cannot hold exactly is kept as the text that it came as', async () => {
  const served = await form();
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const bodies = [deep, '{"a":"\\ud800"}', '{"a":1e999}', '{"a":"\\u0000"}', '{"__proto__":{"a":1}}'];
  for (const body of bodies) expect(await send(served, 'web-form/order', body, signed(served.secret, body))).toMatchObject({ status: 201 });
  const kept = (await received(served)).map(event => (event as [string, string, { text?: string; json?: unknown }])[2]);
  expect(kept.map(({ text, json }) => text ?? JSON.stringify(json))).toEqual(bodies);
});
