import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EmbedderUnavailableError } from '#adapter-contracts';
import { embedderContract } from '#adapter-contracts/testing';
import { checkEmbedderSettings, type LocalSettings } from './embedder-settings.ts';
import { createLocalEmbedder } from './local-embedder.ts';

/** Stands where transformers.js would: tells what it was asked, and gives vectors from the letters of the texts. */
const library = `
export const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: '/models/' };
globalThis.transformersAsked = [];
export const pipeline = async (task, model, options) => {
  globalThis.transformersAsked.push({ task, model, options, env: { ...env } });
  if (model === 'broken') throw new Error('no such opset');
  return async (texts, how) => {
    globalThis.transformersAsked.push({ texts, how });
    const data = new Float32Array(texts.length * 8);
    texts.forEach((text, row) => { for (const letter of text) data[row * 8 + letter.codePointAt(0) % 8] += 1; });
    return { data, dims: how.pooling === 'cls' ? [texts.length, 2, 4] : [texts.length, 8] };
  };
};
`;

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-local-model-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const installLibrary = (directory: string): string => {
  const home = join(directory, 'node_modules/@huggingface/transformers');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: '@huggingface/transformers', type: 'module', exports: './index.js' }));
  writeFileSync(join(home, 'index.js'), library);
  return directory;
};

const modelIn = (directory: string, name = 'e5-small', files: readonly string[] = ['model.onnx']): string => {
  const model = join(directory, name);
  mkdirSync(join(model, 'onnx'), { recursive: true });
  for (const file of ['config.json', 'tokenizer.json']) writeFileSync(join(model, file), '{}');
  for (const file of files) writeFileSync(join(model, 'onnx', file), 'weights '.repeat(10_000));
  return model;
};

const settings = (more: object): LocalSettings => checkEmbedderSettings({ kind: 'local', ...more }, 'embedder.json') as LocalSettings;
const asked = (): readonly Record<string, unknown>[] =>
  (globalThis as unknown as { transformersAsked: Record<string, unknown>[] }).transformersAsked;

embedderContract({
  name: 'local directory',
  describe,
  test,
  open: async () => {
    const directory = temporary();
    return createLocalEmbedder(settings({ directory: modelIn(directory), library: installLibrary(directory), batch_size: 8 }));
  },
});

test('the library is told to stay on this machine, and gets prefixes and pooling as they are set', async () => {
  const directory = temporary();
  const embedder = createLocalEmbedder(
    settings({
      directory: modelIn(directory, 'e5', ['model_quantized.onnx']),
      library: installLibrary(directory),
      query_prefix: 'query: ',
      document_prefix: 'passage: ',
    }),
  );
  await embedder.embed(['when?'], { purpose: 'query' });
  await embedder.embed(['today'], { purpose: 'document' });
  expect(asked()).toEqual([
    {
      task: 'feature-extraction',
      model: 'e5',
      options: { device: 'cpu', dtype: 'q8', local_files_only: true },
      env: { allowRemoteModels: false, allowLocalModels: true, localModelPath: directory },
    },
    { texts: ['query: when?'], how: { pooling: 'mean', normalize: true } },
    { texts: ['passage: today'], how: { pooling: 'mean', normalize: true } },
  ]);
  expect(embedder.model).toMatch(/^e5@[0-9a-f]{12}\?document_prefix=passage%3A\+&query_prefix=query%3A\+$/);
});

test('without the library the error says how to install it', async () => {
  const directory = temporary();
  const model = modelIn(directory);
  const beside = await createLocalEmbedder(settings({ directory: model }))
    .embed(['a'], { purpose: 'query' })
    .catch((error: unknown) => error);
  expect(beside).toBeInstanceOf(EmbedderUnavailableError);
  expect(String(beside)).toContain('run `npm install @huggingface/transformers` where Sheaf is installed');
  const named = createLocalEmbedder(settings({ directory: model, library: directory }));
  await expect(named.embed(['a'], { purpose: 'query' })).rejects.toThrow(`run \`npm install @huggingface/transformers\` in '${directory}'`);
  installLibrary(directory);
  expect(await named.embed(['a'], { purpose: 'query' })).toHaveLength(1);
});

test('a directory that holds no model is told with what it lacks', () => {
  const directory = temporary();
  expect(() => createLocalEmbedder(settings({ directory }))).toThrow(`'${directory}' holds no model`);
  expect(() => createLocalEmbedder(settings({ directory }))).toThrow('it lacks config.json and tokenizer.json');
  const model = modelIn(directory, 'no-weights', []);
  expect(() => createLocalEmbedder(settings({ directory: model }))).toThrow('it lacks weights');
});

test('a model that the library cannot load, and a result of another shape, are told with the directory', async () => {
  const directory = temporary();
  const home = installLibrary(directory);
  const broken = createLocalEmbedder(settings({ directory: modelIn(directory, 'broken'), library: home }));
  await expect(broken.embed(['a'], { purpose: 'query' })).rejects.toThrow(`${join(directory, 'broken')}' cannot be loaded: no such opset`);
  const odd = createLocalEmbedder(settings({ directory: modelIn(directory), library: home, pooling: 'cls' }));
  await expect(odd.embed(['a'], { purpose: 'query' })).rejects.toThrow('gave a result of shape [1, 2, 4] for 1 texts');
});

test('the identity changes with the weights, also where their size does not', () => {
  const directory = temporary();
  const model = modelIn(directory);
  const before = createLocalEmbedder(settings({ directory: model })).model;
  expect(createLocalEmbedder(settings({ directory: model })).model).toBe(before);
  writeFileSync(join(model, 'onnx/model.onnx'), 'wEights '.repeat(10_000));
  expect(createLocalEmbedder(settings({ directory: model })).model).not.toBe(before);
});
