import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ExecutorOptions } from '#runtime';
import { agent, executor, openBench, type RunBench, task } from './run-fixture.ts';

const secret = 'sk-service-0123456789';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const serve = async (answer: (seen: Seen, response: ServerResponse) => void) => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      answer(one, response);
    })();
  });
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const run = async (
  service: object,
  options: { readonly params?: object; readonly more?: Partial<ExecutorOptions>; readonly by?: 'agent' } = {},
) => {
  const bench = await openBench();
  const text = task({ x_service: 'api', x_params: options.params ?? {} });
  await bench.write('tasks/t.md', text, options.by === 'agent' ? agent(bench.vault) : undefined);
  const http = executor('http', bench, {
    allow: { services: { api: { path: '/v1/items/{id}', ...service } } },
    readSecret: (name, origin) => {
      if (name !== 'api-key') throw new Error(`no secret '${name}' was entered for ${origin}`);
      return secret;
    },
    ...options.more,
  });
  const execution = await bench.execution({});
  return { bench, http, execution, outcome: await http.run(execution) };
};

const stepText = (bench: RunBench): string => bench.steps.at(-1)?.text ?? '';
const id = { id: 'a b' };

test('a service gets its values in their places, and its secret, which no record holds', async () => {
  const { seen, origin } = await serve((_, response) => response.end(JSON.stringify({ got: secret, done: true })));
  const service = {
    origin,
    loopback: true,
    method: 'POST',
    body: 'params',
    headers: { authorization: { secret: 'api-key' }, 'x-who': 'sheaf' },
  };
  const { outcome, bench } = await run(service, { params: { ...id, note: 'x' } });
  expect(outcome).toEqual({ kind: 'succeeded', summary: "the service 'api' answered 200" });
  expect(seen).toMatchObject([
    { method: 'POST', url: '/v1/items/a%20b', body: '{"id":"a b","note":"x"}', headers: { authorization: secret, 'x-who': 'sheaf' } },
  ]);
  expect(seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  expect(stepText(bench)).toContain('(secret)');
  expect(JSON.stringify(bench.steps)).not.toContain(secret);
  expect(bench.taints).toEqual(["the answer of the service 'api'"]);
});

describe('hostile services', () => {
  test('a redirect is not followed', async () => {
    const other = await serve((_, response) => response.end('x'));
    const { origin } = await serve((_, response) => response.writeHead(302, { location: other.origin }).end());
    expect((await run({ origin, loopback: true }, { params: id })).outcome).toMatchObject({
      kind: 'failed',
      retry: false,
      reason: expect.stringContaining('redirects') as string,
    });
    expect(other.seen).toEqual([]);
  });

  test('one that never ends its answer is left at the time limit', async () => {
    const { origin } = await serve((_, response) => void response.write('a'));
    const { outcome } = await run({ origin, loopback: true, timeout_seconds: 1 }, { params: id });
    expect(outcome).toMatchObject({ kind: 'failed', retry: true, reason: expect.stringContaining('within 1 s') as string });
  });

  test('an answer that is too long is cut off', async () => {
    const { origin } = await serve((_, response) => void response.end('x'.repeat(100_000)));
    const { outcome, bench } = await run({ origin, loopback: true, max_bytes: 1000 }, { params: id });
    expect(outcome).toMatchObject({ kind: 'failed', retry: false, reason: expect.stringContaining('longer than 1000 bytes') as string });
    expect(stepText(bench).length).toBeLessThan(1000);
  });

  test.each([
    [429, { 'retry-after': '5' }, { retry: true, retryAfterMs: 5000 }],
    [503, {}, { retry: true }],
    [401, {}, { retry: true }],
    [404, {}, { retry: false }],
  ])('%i is a failure of its kind', async (status, headers, expected) => {
    const { origin } = await serve((_, response) => void response.writeHead(status, headers).end('no'));
    const { outcome } = await run({ origin, loopback: true }, { params: id });
    expect(outcome).toEqual({ kind: 'failed', reason: `the service 'api' answered ${status}`, ...expected });
  });
});

describe('where a call may go', () => {
  const leading = (...addresses: string[]) => ({ params: id, more: { resolve: async () => addresses } });

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.20.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::1',
    '2001:0:1::1',
    'ff02::1',
    'fec0::1',
  ])('a name that leads to %s is not called', async address => {
    const { outcome } = await run({ origin: 'https://service.example' }, leading('93.184.216.34', address));
    expect(outcome).toMatchObject({ kind: 'failed', retry: false, reason: expect.stringContaining(`leads to ${address}`) as string });
  });

  test.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://2130706433',
    'https://0x7f.1',
    'https://10.0.0.1',
  ])('the address %s itself is not called', async written => {
    const { outcome } = await run({ origin: new URL(written).origin }, { params: id });
    expect(outcome).toMatchObject({ kind: 'failed', retry: false, reason: expect.stringContaining('leads to') as string });
  });

  test('the name is resolved once, and the connection goes where it was checked', async () => {
    const { seen, origin } = await serve((_, response) => void response.end('ok'));
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [asked === 1 ? '127.0.0.1' : '10.0.0.1'];
    };
    const named = origin.replace('127.0.0.1', 'service.test');
    expect((await run({ origin: named, loopback: true }, { params: id, more: { resolve } })).outcome.kind).toBe('succeeded');
    expect(asked).toBe(1);
    expect(seen[0]?.headers.host).toBe(new URL(named).host);
  });

  test('a service of this machine is one of this machine', async () => {
    const { outcome } = await run({ origin: 'http://service.test', loopback: true }, leading('93.184.216.34'));
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not this machine') as string });
  });

  test('a name that nobody knows may be asked again', async () => {
    const resolve = async (): Promise<readonly string[]> => Promise.reject(new Error('ENOTFOUND'));
    expect((await run({ origin: 'https://service.example' }, { params: id, more: { resolve } })).outcome).toMatchObject({ retry: true });
    const silent = (): Promise<readonly string[]> => new Promise(() => undefined);
    expect(
      (await run({ origin: 'https://service.example', timeout_seconds: 1 }, { params: id, more: { resolve: silent } })).outcome,
    ).toMatchObject({ retry: true });
  });

  test.each([
    ['..', 'more than words'],
    ['a/../../admin', 'more than words'],
    ['x?admin=1#', 'more than words'],
  ])('a value such as %s leads nowhere else', async (value, reason) => {
    const { origin, seen } = await serve((_, response) => void response.end('ok'));
    expect((await run({ origin, loopback: true }, { params: { id: value } })).outcome).toMatchObject({
      reason: expect.stringContaining(reason) as string,
    });
    const loose = { origin, loopback: true, slots: { id: { pattern: '.*' } } };
    const outcome = (await run(loose, { params: { id: value } })).outcome;
    if (outcome.kind === 'succeeded') expect(seen.at(-1)?.url).toBe(`/v1/items/${encodeURIComponent(value)}`);
    else expect(outcome).toMatchObject({ reason: expect.stringContaining('would lead elsewhere') as string });
  });
});

test('what keeps a service from being called is said, and the task waits', async () => {
  const { origin } = await serve((_, response) => void response.end('ok'));
  const missing = await run({ origin, loopback: true, headers: { authorization: { secret: 'other' } } }, { params: id });
  expect(await missing.http.unready(missing.execution)).toContain("no secret 'other' was entered for");
  const untrusted = await run({ origin, loopback: true }, { params: id, more: { trusted: () => false } });
  expect(await untrusted.http.unready(untrusted.execution)).toContain('`sheaf trust`');
  expect(untrusted.outcome).toMatchObject({ kind: 'failed', retry: true });
});

test('a call that an agent ordered waits for a person', async () => {
  const { origin, seen } = await serve((_, response) => void response.end('ok'));
  const { outcome, http, bench } = await run({ origin, loopback: true, method: 'DELETE' }, { params: id, by: 'agent' });
  if (outcome.kind !== 'waiting_for_human') throw new Error(outcome.kind);
  expect(outcome.question).toContain(`DELETE ${origin}/v1/items/a%20b`);
  expect(seen).toEqual([]);
  const decision = { approved: true, by: 'human:mei', reason: 'ok', question: outcome.question };
  expect((await http.run(await bench.execution({ decision }))).kind).toBe('succeeded');
  expect(seen).toHaveLength(1);
});

test.each([
  ['plain http to the internet', { origin: 'http://service.example' }, 'over https only'],
  ['a path beside the origin', { origin: 'https://service.example/v1' }, 'must be an origin'],
  ['a header of the connection', { origin: 'https://service.example', headers: { Host: 'x' } }, 'headers.Host'],
  ['a slot that is nowhere', { origin: 'https://service.example', slots: { other: { pattern: 'x' } } }, 'slots.other'],
  ['a pattern that is none', { origin: 'https://service.example', slots: { id: { pattern: '(' } } }, 'slots.id.pattern'],
])('settings are refused with %s', async (_, service, place) => {
  await expect(run(service)).rejects.toThrow(place);
});
