import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import * as exported from '#server/http/client';
import { rule, serve } from '../server/served-vault.ts';

const page = readFileSync('docs/reference/client.md', 'utf8');

const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<unknown>;

test('the examples of the reference run as they stand, one after the other', async () => {
  const { origin, admit, vault } = await serve();
  const blocks = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(match => match[1] ?? '');
  expect(blocks).toHaveLength(3);
  const code = blocks
    .join('\n')
    .replaceAll(/^import .* from 'sheaf\/client';$/gm, '')
    .replace('http://127.0.0.1:4177', origin);
  vi.stubEnv('SHEAF_TOKEN', await admit('reader'));
  const controller = new AbortController();
  const said: unknown[][] = [];
  const log = (...words: unknown[]): void => {
    said.push(words);
    if (said.length === 2) controller.abort();
  };
  const { createClient, ConflictError } = exported;
  const first = await vault.execute(
    {
      type: 'event',
      workspace_id: vault.workspaceId,
      idempotency_key: 'first',
      path: 'shop/door',
      content: '{"event_type":"opened"}',
    },
    { principal: vault.localPrincipal() },
  );
  const lastSeen = first.success ? first.event_id : undefined;
  const names = ['createClient', 'ConflictError', 'text', 'lastSeen', 'signal', 'console'];
  const run = new AsyncFunction(...names, code);
  await run(createClient, ConflictError, rule(), lastSeen, controller.signal, { log });
  expect(said).toEqual([
    ['create', 'rules/tone.md'],
    ['patch', 'rules/tone.md'],
  ]);
  vi.unstubAllEnvs();
});

test('the reference names every call of the client, and no other', () => {
  const client = exported.createClient({ endpoint: 'http://127.0.0.1:1', token: 't' });
  const groups = Object.entries(client).filter(([, value]) => typeof value === 'object');
  for (const [group, calls] of groups) {
    const row = page.split('\n').find(line => line.startsWith(`| \`${group}.`)) ?? '';
    const named = [...(row.split('|')[1] ?? '').matchAll(/`(?:\w+\.)?(\w+)`/g)].map(match => match[1] ?? '');
    expect(named.toSorted(), group).toEqual(Object.keys(calls as object).toSorted());
  }
  expect(groups.map(([group]) => group).toSorted()).toEqual(['documents', 'events', 'history', 'leases', 'links', 'memory', 'work']);
});
