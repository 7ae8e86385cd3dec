import { expect, test } from 'vitest';
import { characterCut } from '../../src/server/mcp/cut-text.ts';
import { agent, callTool, connectAs, openVaultForTest, person, rule } from './mcp-client.ts';

const family = '👨‍👩‍👧‍👦';

/** Reads a document page by page, as a client that follows cursors. */
const readAll = async (client: Awaited<ReturnType<typeof connectAs>>, path: string, limit: number): Promise<string[]> => {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const reply = await callTool(client, 'read_document', { path, limit, ...(cursor === undefined ? {} : { cursor }) });
    expect(reply.refused, reply.text).toBe(false);
    pages.push(reply.stored);
    ({ cursor } = reply.said);
  } while (cursor !== undefined);
  return pages;
};

test('a long document comes in pages that join to its exact text and never cut a character', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const body = `${`${family} e\u0301 🇩🇪🇫🇷 ខ្មែរ\r\n`.repeat(300)}end\n`;
  await callTool(client, 'write_document', { path: 'rules/long.md', content: rule('Long', body) });
  const pages = await readAll(client, 'rules/long.md', 1000);
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.join('')).toBe(rule('Long', body));
  const whole = [...new Intl.Segmenter('en').segment(rule('Long', body))].map(({ segment }) => segment);
  expect(pages.flatMap(page => [...new Intl.Segmenter('en').segment(page)].map(({ segment }) => segment))).toEqual(whole);
});

test('a character that is longer than a page is cut between code points, and reading still ends', () => {
  const text = `a${'\u0301'.repeat(50)}👍${'\u{1F3FD}'.repeat(50)}`;
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = characterCut(text, from, 7);
    expect(end).toBeGreaterThan(from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  expect(pieces.join('')).toBe(text);
  for (const piece of pieces) expect(piece.isWellFormed?.() ?? !/[\ud800-\udbff]$/.test(piece)).toBe(true);
});

test('a page of another version is refused rather than joined to the first', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/long.md', content: rule('Long', 'x'.repeat(5000)) });
  const first = await callTool(client, 'read_document', { path: 'rules/long.md', limit: 1000 });
  await callTool(client, 'patch_document', { path: 'rules/long.md', set: { scope: 'b' } });
  const second = await callTool(client, 'read_document', { path: 'rules/long.md', limit: 1000, cursor: first.said.cursor });
  expect(second.said.refused).toBe('version_conflict');
});

test.each(['nonsense', Buffer.from('["sha256:0"]').toString('base64url'), Buffer.from('[7,7]').toString('base64url')])(
  'the cursor %s that this server never gave is refused',
  async cursor => {
    const vault = await openVaultForTest();
    const client = await connectAs(vault, agent('agent:a'));
    await callTool(client, 'write_document', { path: 'rules/a.md', content: rule('A') });
    for (const [tool, input] of [
      ['read_document', { path: 'rules/a.md' }],
      ['list_documents', {}],
      ['history', {}],
    ] as const) {
      const reply = await callTool(client, tool, { ...input, cursor });
      // The first one is a list's own form; what it names is a place in the order of paths.
      if (tool === 'list_documents' && cursor.startsWith('WyJz')) expect(reply.refused).toBe(false);
      else expect(reply.said.refused, tool).toBe('invalid_request');
    }
  },
);

test('lists are bounded: a page of long rows holds fewer of them, and following cursors gives every one once', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const paths = Array.from({ length: 150 }, (_, index) => `rules/${'long-'.repeat(40)}${String(index).padStart(3, '0')}.md`);
  for (const path of paths) await callTool(client, 'write_document', { path, content: rule('T'.repeat(2000)) });
  const seen: unknown[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const reply = await callTool(client, 'list_documents', { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    expect(reply.text.length).toBeLessThan(45_000);
    seen.push(...(reply.json() as unknown as { path: string }[]).map(row => row.path));
    ({ cursor } = reply.said);
    pages += 1;
  } while (cursor !== undefined);
  expect(seen).toEqual(paths);
  expect(pages).toBeGreaterThan(1);
});

test('history tells who changed what, pages through everything once, and cuts a huge payload visibly', async () => {
  const vault = await openVaultForTest();
  const [one, two] = [await connectAs(vault, agent('agent:a')), await connectAs(vault, agent('agent:b'))];
  await callTool(one, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  await callTool(two, 'patch_document', { path: 'rules/tone.md', set: { scope: 'b' } });
  await callTool(two, 'record_event', { subject: 'orders/1', payload: { text: '👍'.repeat(100_000) } });
  const all: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const reply = await callTool(one, 'history', { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...(reply.json() as unknown as Record<string, unknown>[]));
    ({ cursor } = reply.said);
  } while (cursor !== undefined);
  expect(all.map(event => [event.action, event.subject, event.principal])).toEqual([
    ['create', 'rules/tone.md', { id: 'agent:a', kind: 'agent' }],
    ['patch', 'rules/tone.md', { id: 'agent:b', kind: 'agent' }],
    ['event', 'orders/1', { id: 'agent:b', kind: 'agent' }],
  ]);
  expect(all[2]?.payload).toEqual({ cut: expect.stringMatching(/^\{"text":"(👍)+…$/u) });
  const one1 = await callTool(one, 'history', { subject: 'rules/' });
  expect(one1.json()).toHaveLength(2);
});

test('who may not read a document learns neither that it is there nor what it is', async () => {
  const vault = await openVaultForTest();
  await vault.execute(
    { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: 'k', path: 'rules/hidden.md', content: rule('Hidden') },
    { principal: person },
  );
  const client = await connectAs(vault, agent('agent:a', ['ssss:memory:*']));
  const present = await callTool(client, 'read_document', { path: 'rules/hidden.md' });
  const absent = await callTool(client, 'read_document', { path: 'rules/absent.md' });
  expect(present.said.refused).toBe('forbidden');
  const words = (reply: typeof present) => JSON.stringify({ ...reply.json(), operation_id: '' }).replaceAll(/hidden|absent/g, 'x');
  expect(words(present)).toBe(words(absent));
  expect((await callTool(client, 'list_documents')).json()).toEqual([]);
  expect((await callTool(client, 'history')).said.refused).toBe('forbidden');
});

const unsafe = [
  '../../etc/passwd.md',
  '/etc/passwd.md',
  'a/../../b.md',
  '../vault-evil/x.md',
  'a\\b.md',
  'C:x.md',
  'a//b.md',
  'a/./b.md',
  'a\u0000b.md',
  '.ssss/workspace.json',
  '.ssss-intents/x.md',
  '.GIT/x.md',
];

test.each(unsafe)('the path %j is refused by every tool, in the same words whether or not it exists', async path => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const calls = [
    ['read_document', { path }],
    ['write_document', { path, content: rule('A') }],
    ['patch_document', { path, set: { a: 1 } }],
    ['append_record', { path, text: 'x' }],
    ['delete_document', { path }],
    ['record_event', { subject: path }],
    ['acquire_lease', { target: path, operation_id: 'o' }],
  ] as const;
  for (const [tool, input] of calls) expect((await callTool(client, tool, input)).said.refused, tool).toBe('invalid_request');
});

test('a failure inside says nothing about the machine, and the host is told', async () => {
  const failures: unknown[] = [];
  const vault = await openVaultForTest({
    wrapAdapters: adapters => ({
      ...adapters,
      vfs: { ...adapters.vfs, read: () => Promise.reject(new Error("EACCES: permission denied, open '/home/ada/vault/rules/a.md'")) },
    }),
  });
  const client = await connectAs(vault, agent('agent:a'), { onError: error => failures.push(error) });
  const read = await callTool(client, 'read_document', { path: 'rules/a.md' });
  const written = await callTool(client, 'write_document', { path: 'rules/a.md', content: rule('A') });
  for (const reply of [read, written]) {
    expect(reply.said.refused).toBe('internal_error');
    expect(reply.text).not.toMatch(/home|ada|at .*\.ts/);
  }
  expect(failures.map(String)).toEqual([expect.stringContaining('/home/ada'), expect.stringContaining('/home/ada')]);
});
