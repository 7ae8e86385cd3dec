import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Principal } from '#adapter-contracts';
import { serveLanguageModel } from '#adapter-contracts/testing';
import { initVault, openMemoryVault, openVault } from '#open-vault';
import { runCall } from '../call.ts';
import type { Vault } from '../vault.ts';
import { calls } from './all-calls.ts';

const open = async (): Promise<Vault> => {
  const vault = await openMemoryVault();
  onTestFinished(() => vault.close());
  return vault;
};

const scriptFile = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-machine-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const script = join(directory, 'script.json');
  writeFileSync(script, '{"version":1,"turns":[{"text":"ready"}]}');
  return script;
};

const ask = (vault: Vault, name: keyof typeof calls, input: object, principal: Principal = vault.localPrincipal()): Promise<unknown> =>
  runCall(calls[name] as never, vault, { principal }, input);

const program = { kind: 'command', name: 'sh', setting: { argv: ['/bin/sh'] } };

test('only a person sets what work may use, and only at this machine a program or a script', async () => {
  const vault = await open();
  const person = vault.localPrincipal();
  const endpoint = { name: 'm', base_url: 'http://127.0.0.1:9/v1', model: 'x' };
  const agent: Principal = { ...person, id: 'agent:a', kind: 'agent', authentication: { provider: 'library', assurance: 'verified' } };
  const stored: Principal = { ...person, id: 'human:m', authentication: { provider: 'token', assurance: 'verified' } };
  const session: Principal = { ...person, authentication: { provider: 'session', assurance: 'verified' } };
  for (const principal of [agent, stored]) {
    await expect(ask(vault, 'model.set', endpoint, principal)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ask(vault, 'executor.set', program, principal)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ask(vault, 'secret.set', { name: 's', origin: 'https://a.example', value: 'v' }, principal)).rejects.toMatchObject({
      code: 'forbidden',
    });
  }
  await expect(ask(vault, 'executor.set', program, session)).rejects.toThrow("Only at this machine's terminal");
  await expect(ask(vault, 'model.set', { name: 's', script: scriptFile() }, session)).rejects.toThrow("Only at this machine's terminal");
  expect(await ask(vault, 'model.set', endpoint, session)).toMatchObject({ replaced: false });
  expect(await ask(vault, 'executor.set', program)).toMatchObject({ replaced: false });
});

test('a key that is entered with a model goes to its origin, and no answer shows it', async () => {
  const vault = await open();
  const served = await serveLanguageModel('openai-compatible', [{ text: 'ready' }]);
  onTestFinished(() => served.close());
  const set = await ask(vault, 'model.set', { name: 'm', base_url: served.baseUrl, model: 'x', key: 'sk-entered' });
  expect(set).toMatchObject({ key: 'model:m', problem: null });
  expect(await ask(vault, 'model.test', { name: 'm' })).toMatchObject({ ok: true, said: 'ready', scripted: false });
  expect(served.requests[0]?.headers.authorization).toBe('Bearer sk-entered');
  expect(JSON.stringify([set, await ask(vault, 'model.list', {}), await ask(vault, 'secret.list', {})])).not.toContain('sk-entered');
  // Another place under the same name does not get the key of the first.
  await ask(vault, 'model.set', { name: 'm', base_url: 'https://elsewhere.example/v1', model: 'x' });
  expect(await ask(vault, 'model.list', {})).toMatchObject({ models: [{ key: null }] });
  await ask(vault, 'model.remove', { name: 'm' });
  expect(await ask(vault, 'secret.list', {})).toEqual({ secrets: [] });
});

test('a model that fails its test says why, and the key is not in it', async () => {
  const vault = await open();
  const served = await serveLanguageModel('anthropic', [{ status: 401, body: '{"error":{"message":"bad key sk-entered"}}' }]);
  onTestFinished(() => served.close());
  await ask(vault, 'model.set', { name: 'm', provider: 'anthropic', base_url: served.baseUrl, model: 'x', key: 'sk-entered' });
  const tested = await ask(vault, 'model.test', { name: 'm' });
  expect(tested).toMatchObject({ ok: false, said: null, reason: expect.stringContaining('answered 401') as string });
  expect(JSON.stringify(tested)).not.toContain('sk-entered');
});

test.each([
  [{ base_url: 'https://a.example/v1', model: 'x', key: 'a', key_env: 'B' }, 'not both'],
  [{ script: '/nowhere/script.json' }, 'no such file'],
  [{ script: 'relative.json' }, 'no absolute path'],
  [{ base_url: 'https://a.example/v1' }, 'models.m.model'],
  [{ model: 'x', key: 'k' }, 'address'],
  [{ base_url: 'https://a.example/v1', model: 'x', timeout_seconds: 0 }, 'timeout_seconds'],
])('a setting that cannot be used is refused with its place: %j', async (input, place) => {
  const vault = await open();
  await expect(ask(vault, 'model.set', { name: 'm', ...input })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(place) as string,
  });
  expect(await ask(vault, 'model.list', {})).toEqual({ models: [], found: [] });
  expect(await ask(vault, 'secret.list', {})).toEqual({ secrets: [] });
});

test('an assistant may name a model document, which stands for its model_id and brings nothing else', async () => {
  const vault = await open();
  const text =
    '---\ntype: model\ntitle: M\ndescription: D\ntimestamp: 2026-05-16T08:00:00Z\nmodel_id: example/large\nprovider: example\nx_base_url: http://evil.example/v1\n---\n';
  const envelope = {
    type: 'operation',
    workspace_id: vault.workspaceId,
    idempotency_key: 'k',
    path: 'models/large/MODEL.md',
    content: text,
  };
  expect(await vault.execute(envelope, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
  const { models } = vault.machine;
  expect((await models.resolve('models/large/MODEL.md')).problem).toContain("stands for 'example/large'");
  await ask(vault, 'model.set', { name: 'm', base_url: 'http://127.0.0.1:9/v1', model: 'qwen3', for: ['example/large'] });
  expect((await models.resolve('/models/large/MODEL.md')).model).toMatchObject({ name: 'm', model: 'qwen3' });
  expect((await models.resolve('models/none/MODEL.md')).problem).toContain('no model document');
});

test('what is allowed is listed with its slots, and a ceiling that is not given goes back to its default', async () => {
  const vault = await open();
  await ask(vault, 'executor.set', { kind: 'command', name: 'shout', setting: { argv: ['/usr/bin/figlet', '{word}', 'two words'] } });
  await ask(vault, 'executor.set', { kind: 'service', name: 'w', setting: { origin: 'https://api.example', path: '/v1/{city}/{day}' } });
  await ask(vault, 'executor.set', { kind: 'assistant', setting: { steps: 5, tokens: 10 } });
  await ask(vault, 'executor.set', { kind: 'assistant', setting: { seconds: 60 } });
  expect(await ask(vault, 'executor.list', {})).toEqual({
    assistant: { steps: 24, tokens: 200_000, seconds: 60 },
    allowed: [
      { kind: 'command', name: 'shout', what: '/usr/bin/figlet {word} "two words"', slots: ['word'] },
      { kind: 'service', name: 'w', what: 'GET https://api.example/v1/{city}/{day}', slots: ['city', 'day'] },
    ],
  });
});

test('settings that say two things are refused with their place', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-machine-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(directory, 'vault');
  const stateDir = join(directory, 'state');
  await initVault({ root, workspaceId: 'ws' });
  mkdirSync(stateDir);
  writeFileSync(join(stateDir, 'executors.json'), '{"version":1,\n"commands":{"a":{"argv":["/bin/true"]},"a":{"argv":["/bin/sh"]}}}');
  const vault = await openVault({ root, stateDir });
  onTestFinished(() => vault.close());
  expect(() => vault.machine.executors.settings()).toThrow(/executors\.json is not JSON: .*"?a"?/);
});
