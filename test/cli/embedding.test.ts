import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConceptEmbedder, type ForcedAnswer, serveEmbedder } from '#adapter-contracts/testing';
import { jsonLines, openWorkshop, rule } from './sheaf.ts';

const key = 'sk-test-0123456789abcdef';

const served = async (answer: (count: number) => ForcedAnswer | null = () => null) => {
  const endpoint = await serveEmbedder(createConceptEmbedder(), { answer: (_, count) => answer(count) });
  onTestFinished(() => endpoint.close());
  return endpoint;
};

const workshopWith = async (documents: number) => {
  const workshop = openWorkshop();
  await workshop.sheaf(['init', 'vault']);
  mkdirSync(join(workshop.vault, 'rules'));
  for (let index = 0; index < documents; index += 1)
    writeFileSync(join(workshop.vault, 'rules', `r${String(index).padStart(3, '0')}.md`), rule(`Rule ${index}`));
  const stateFile = (): string => {
    const [vaultId = ''] = readdirSync(join(workshop.directory, 'state'));
    return join(workshop.directory, 'state', vaultId, 'embedder.json');
  };
  return { ...workshop, stateFile };
};

const set = (baseUrl: string, ...more: readonly string[]): readonly string[] => [
  'index',
  'embedder',
  'set',
  '--base-url',
  baseUrl,
  '--model',
  'concept-table',
  ...more,
];

test('a model is chosen, tried, used and given up', async () => {
  const { inVault, sheaf, vault, stateFile } = await workshopWith(3);
  const endpoint = await served();
  expect(jsonLines((await inVault('index', 'embedder', '--json')).stdout)).toEqual([
    { state: 'off', reason: null, model: null, dimension: null, place: null, hosted: false, private: false, documents: 3, missing: 3 },
  ]);
  expect((await inVault('index', 'embed')).stderr).toMatch(/No embedding model is set.*\[invalid_request\]/);
  const chosen = await sheaf([...set(endpoint.baseUrl, '--key-env', 'TEST_MODEL_KEY')], { cwd: vault, env: { TEST_MODEL_KEY: key } });
  expect(chosen.status, chosen.stderr).toBe(0);
  expect(statSync(stateFile()).mode & 0o777).toBe(0o600);
  expect(readFileSync(stateFile(), 'utf8')).not.toContain(key);
  const env = { TEST_MODEL_KEY: key };
  const tried = await sheaf(['index', 'embedder', 'test'], { cwd: vault, env });
  expect(tried.stdout).toMatch(/^concept-table: 96 numbers/);
  expect(tried.stdout).toMatch(/^ {2}ja {2}0\.9\d\d/m);
  const embedded = await sheaf(['index', 'embed', '--json'], { cwd: vault, env });
  expect(jsonLines(embedded.stdout)).toEqual([{ model: 'concept-table', dimension: 96, embedded: 3, missing: 0, total: 3, failed: [] }]);
  expect(endpoint.requests.every(request => request.authorization === `Bearer ${key}`)).toBe(true);
  expect(jsonLines((await sheaf(['index', 'embedder', '--json'], { cwd: vault, env })).stdout)[0]).toMatchObject({
    state: 'ready',
    place: new URL(endpoint.baseUrl).origin,
    hosted: false,
    missing: 0,
  });
  expect((await inVault('index', 'embedder', 'off')).status).toBe(0);
  expect(jsonLines((await inVault('index', 'embedder', '--json')).stdout)[0]).toMatchObject({ state: 'off' });
});

test('a run that is killed goes on where it stopped, and one that is interrupted says so', async () => {
  const { inVault, vault, directory } = await workshopWith(200);
  // Ten documents to a request; from the third on nobody answers.
  const endpoint = await served(count => (count > 5 ? { hang: true } : null));
  await inVault(...set(endpoint.baseUrl, '--batch', '10'));
  const start = () =>
    spawn(process.execPath, [resolve('bin/sheaf.cjs'), 'index', 'embed'], {
      cwd: vault,
      env: { ...process.env, SHEAF_STATE_DIR: join(directory, 'state') },
      stdio: 'ignore',
    });
  const killed = start();
  await expect.poll(() => endpoint.requests.length, { timeout: 60_000 }).toBe(6);
  killed.kill('SIGKILL');
  const interrupted = start();
  await expect.poll(() => endpoint.requests.length, { timeout: 60_000 }).toBe(7);
  const ended = new Promise<number | null>(done => interrupted.on('close', done));
  interrupted.kill('SIGINT');
  expect(await ended).toBe(130);
  await endpoint.close();
  const again = await served();
  await inVault(...set(again.baseUrl, '--batch', '10'));
  const [report] = jsonLines((await inVault('index', 'embed', '--json')).stdout);
  expect(report).toMatchObject({ missing: 0, total: 200 });
  // One page of 32 was written before the kill; only the rest is embedded again.
  expect(report?.embedded).toBe(168);
  expect(again.requests.flatMap(request => request.body.input).filter(text => text.startsWith('Rule'))).toHaveLength(168);
});

test('a model that does not answer is named with its address, and search goes on', async () => {
  const { inVault } = await workshopWith(2);
  const endpoint = await served();
  await inVault(...set(endpoint.baseUrl));
  await inVault('index', 'embed');
  await endpoint.close();
  const embed = await inVault('index', 'embed');
  expect(embed).toMatchObject({ status: 1, stdout: '' });
  expect(embed.stderr).toContain(`${endpoint.baseUrl}/embeddings cannot be reached: ECONNREFUSED [model_unavailable]`);
  expect((await inVault('search', 'rule')).stdout).toContain('rules/r000.md');
});

test('what cannot be meant is refused before anything is written', async () => {
  const { inVault, stateFile } = await workshopWith(1);
  const api = 'https://api.example.com/v1';
  for (const [args, told] of [
    [['index', 'embedder', 'set'], 'name either an endpoint'],
    [set(api).slice(0, -2), 'name the model'],
    [set(api, '--pooling', 'cls'), '--pooling does not belong to --base-url'],
    [set(api, '--private'), 'say --private https://api.example.com'],
    [set(api, '--private', 'https://other.example.com'), 'say --private https://api.example.com'],
    [set('http://gpu.example.com/v1', '--key-env', 'K'), 'a key is sent over https only'],
    [set('https://me:word@api.example.com/v1'), 'must hold no user or password'],
    [set('nonsense'), "'nonsense' is no address"],
    [set(api, '--as', 'agent:x'), 'only the person at this terminal'],
  ] as const) {
    const refused = await inVault(...args);
    expect(refused.status, refused.stderr).toBe(2);
    expect(refused.stderr).toContain(told);
    expect(refused.stderr).not.toContain('word@');
  }
  expect(existsSync(stateFile())).toBe(false);
  expect((await inVault(...set(api, '--private', 'https://api.example.com', '--json'))).stdout).toContain(
    '"private_to":"https://api.example.com"',
  );
});

test('a local model without the library says how to get it', async () => {
  const { inVault, directory } = await workshopWith(1);
  const model = join(directory, 'e5-small');
  mkdirSync(join(model, 'onnx'), { recursive: true });
  for (const file of ['config.json', 'tokenizer.json', 'onnx/model.onnx']) writeFileSync(join(model, file), '{}');
  expect((await inVault('index', 'embedder', 'set', '--local', model)).status).toBe(0);
  const embed = await inVault('index', 'embed');
  expect(embed.status).toBe(1);
  expect(embed.stderr).toContain('npm install @huggingface/transformers');
});
