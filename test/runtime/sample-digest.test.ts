import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkshop } from '../cli/sheaf.ts';

const digest = `---
type: memory
title: Digest
description: What the shop learned today.
timestamp: 2026-09-14T19:30:00Z
slug: digest-today
category: facts
status: active
schema_version: 1
---

The lock of the yard was changed.
`;

const script = {
  version: 1,
  turns: [
    { when: { turn: 0 }, calls: [{ name: 'list_documents', arguments: { prefix: 'memory/' } }] },
    { when: { turn: 1 }, calls: [{ name: 'write_document', arguments: { path: 'memory/digests/today.md', content: digest } }] },
    { calls: [{ name: 'finish', arguments: { outcome: 'done', summary: 'The digest is written.' } }] },
  ],
};

const rows = (stdout: string): readonly Record<string, string>[] =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, string>);

test('the daily digest of the sample is written by a scripted model, within its role', async () => {
  const { directory, vault, sheaf, inVault } = openWorkshop();
  await sheaf(['init', vault, '--sample', '--workspace', 'shop']);
  writeFileSync(join(directory, 'script.json'), JSON.stringify(script));
  const model = /model_id: "?([^"\n]+)"?/.exec(readFileSync(join(vault, 'models/local-small/MODEL.md'), 'utf8'))?.[1] ?? '';
  expect((await inVault('model', 'set', 'scripted', '--script', '../script.json', '--for', model)).stderr).not.toContain('[');
  // The people of the sample are a story; a role counts from the hand of somebody who is here.
  await inVault('patch', 'roles/digest/ROLE.md', 'x_reviewed=true');
  expect(await inVault('fire', 'daily-digest', 'now', '--key', 'today')).toMatchObject({ status: 0 });
  await inVault('daemon', '--once');
  const [task] = rows((await inVault('tasks', '--workflow', 'daily-digest', '--json')).stdout);
  expect(task).toMatchObject({ status: 'done' });
  expect(readFileSync(join(vault, 'memory/digests/today.md'), 'utf8')).toBe(digest);
  const [event] = rows((await inVault('log', 'memory/digests/today.md', '--json')).stdout);
  expect(event).toMatchObject({ principal: { id: 'assistant:digest', kind: 'agent' } });
});

test('an agent takes the same work over MCP, and the record names it', async () => {
  const { vault, sheaf, inVault } = openWorkshop();
  await sheaf(['init', vault, '--sample', '--workspace', 'shop']);
  await inVault(
    'principal',
    'add',
    'agent:evening',
    '--kind',
    'agent',
    '--cap',
    'run:task',
    'ssss:task:read',
    'ssss:run:read',
    'ssss:memory:*',
  );
  await inVault('fire', 'daily-digest', 'now', '--key', 'today');
  const call = async (name: string, args: object): Promise<string> => {
    const messages = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'evening', version: '1' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args } },
    ];
    const { stdout } = await sheaf(['mcp', '--as', 'agent:evening'], {
      cwd: vault,
      input: messages.map(each => `${JSON.stringify(each)}\n`).join(''),
    });
    const reply = rows(stdout).find(row => (row as { id?: unknown }).id === 2) as unknown as { result: { content: { text: string }[] } };
    return reply.result.content.map(({ text }) => text).join('\n');
  };
  const [waiting] = rows((await inVault('tasks', '--workflow', 'daily-digest', '--json')).stdout);
  const path = waiting?.path ?? waiting?.task_path ?? '';
  const claimed = await call('claim_task', { worker: 'evening', task: path });
  const field = (name: string): string => new RegExp(`"${name}":\\s*"([^"]+)"`).exec(claimed)?.[1] ?? '';
  const ticket = { task: field('task_path'), lease_id: field('lease_id'), operation_id: field('operation_id') };
  expect(await call('write_document', { path: 'memory/digests/today.md', content: digest, idempotency_key: 'digest' })).toContain(
    'committed',
  );
  expect(await call('append_run_step', { ...ticket, name: 'write', text: 'Written.' })).toContain('recorded');
  expect(await call('finish_task', { ...ticket, status: 'done', text: 'The digest is written.' })).toContain('the task is done');
  const [task] = rows((await inVault('tasks', '--workflow', 'daily-digest', '--json')).stdout);
  expect(task).toMatchObject({ status: 'done' });
  expect((await inVault('runs', field('run_path'))).stdout).toContain('write');
});
