import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { discoverModels } from './discover-models.ts';
import { describeSetting, openLanguageModels } from './language-models.ts';

const opened = async (models?: Readonly<Record<string, object>>, environment: NodeJS.ProcessEnv = {}) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'sheaf-models-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  let kept: string | null = null;
  const file = openLanguageModels({
    file: {
      path: join(stateDir, 'models.json'),
      read: () => kept,
      change: async edit => {
        kept = edit(kept);
      },
    },
    readSecret: (name, origin) => {
      if (name === 'known' && origin === 'https://api.example') return 'sk-secret';
      throw new Error(`no secret '${name}' was entered for ${origin}`);
    },
    environment,
  });
  for (const [name, setting] of Object.entries(models ?? {})) await file.set(name, setting);
  return { file, stateDir, breakBy: (text: string) => (kept = text) };
};

const hosted = (more: object = {}) => ({ provider: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1', model: 'qwen3', ...more });

test('nothing is set at first, and nobody needs a model', async () => {
  const { file } = await opened();
  expect(file.read()).toEqual({});
  expect(file.resolve(null)).toMatchObject({ model: null, problem: expect.stringContaining('no language model is set') as string });
});

test('a name stands for the setting of that name, then for one that says so, then for one that takes every other', async () => {
  const { file } = await opened({
    local: hosted(),
    other: hosted({ model: 'big', for: ['example/large-model'] }),
    rest: hosted({ model: 'small', for: ['*'] }),
  });
  expect(file.resolve('local').model?.name).toBe('local');
  expect(file.resolve('qwen3').model?.name).toBe('local');
  expect(file.resolve('example/large-model').model?.name).toBe('other');
  expect(file.resolve('whatever').model?.name).toBe('rest');
});

test('what stands for nothing or for several things is a problem that names the choices', async () => {
  const { file } = await opened({ a: hosted({ for: ['x'] }), b: hosted({ model: 'y', for: ['x'] }) });
  expect(file.resolve('z').problem).toContain("stands for 'z'; there are: a, b");
  expect(file.resolve('x').problem).toContain("stand for 'x': a, b");
  expect(file.resolve(null).problem).toContain("called 'default' (a, b)");
  expect(file.open('c').problem).toContain("no language model 'c'");
});

test('an assistant that names no model gets the default, or the only one', async () => {
  const { file } = await opened({ a: hosted() });
  expect(file.resolve(null).model?.name).toBe('a');
  await file.set('default', hosted({ model: 'd' }));
  expect(file.resolve(null).model?.name).toBe('default');
  expect(await file.set('default', null)).toBe(true);
  expect(await file.set('default', null)).toBe(false);
  expect(file.resolve(null).model?.name).toBe('a');
});

test('a setting that cannot be used is not written, and one that was broken by hand is said to be', async () => {
  const { file, stateDir, breakBy } = await opened({ a: hosted() });
  await expect(file.set('b', hosted({ base_url: 'ftp://x' }))).rejects.toThrow('https://');
  await expect(file.set('no name', hosted())).rejects.toThrow('models.no name');
  await expect(file.set('s', { provider: 'scripted', script: join(stateDir, 'none.json') })).rejects.toThrow('none.json');
  expect(Object.keys(file.read())).toEqual(['a']);
  breakBy('{"version":1,"models":{"a":{"provider":"x"}}}');
  expect(file.resolve('a').problem).toContain('models.a');
});

test('what is known against a model is told without asking it', async () => {
  const { file } = await opened({}, { SET: 'sk-1' });
  const key = (source: object) =>
    file.obstacle({ ...hosted({ key: source, base_url: 'https://api.example/v1' }), timeout_seconds: 1, for: [] } as never);
  const origin = 'https://api.example';
  expect(key({ env: 'SET', origin })).toBeNull();
  expect(key({ env: 'UNSET', origin })).toContain('UNSET');
  expect(key({ secret: 'known', origin })).toBeNull();
  expect(key({ secret: 'unknown', origin })).toContain("no secret 'unknown'");
});

test('a model whose key is missing stands for nothing until the key is there', async () => {
  const environment: NodeJS.ProcessEnv = {};
  const origin = 'https://api.example';
  const { file } = await opened({ a: hosted({ base_url: `${origin}/v1`, key: { env: 'K', origin } }) }, environment);
  expect(file.resolve('a').problem).toContain("the model 'a' cannot be asked: the environment variable K");
  environment.K = 'sk-1';
  expect(file.resolve('a').model?.name).toBe('a');
});

test('a description for people holds no key', () => {
  const setting = { ...hosted({ key: { env: 'K', origin: 'http://127.0.0.1:11434' } }), timeout_seconds: 1, for: [] };
  expect(describeSetting('a', setting as never)).toEqual({
    name: 'a',
    provider: 'openai-compatible',
    model: 'qwen3',
    place: 'http://127.0.0.1:11434',
    key: '$K',
    for: [],
  });
});

test('endpoints on this machine are found with their models; what answers something else is not one', async () => {
  const serve = async (body: string, status = 200): Promise<number> => {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    onTestFinished(() => void server.close());
    await new Promise<void>(resolve => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return (server.address() as AddressInfo).port;
  };
  const good = await serve('{"data":[{"id":"qwen3"},{"id":7}]}');
  const ports = [
    ['Good', good],
    ['Page', await serve('<html>')],
    ['Refusing', await serve('{}', 401)],
    ['Nobody', 1],
  ] as const;
  expect(await discoverModels({ ports })).toEqual([{ usually: 'Good', base_url: `http://127.0.0.1:${good}/v1`, models: ['qwen3'] }]);
});
