import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Embedder, EmbedderUnavailableError, systemClock } from '#adapter-contracts';
import { createConceptEmbedder } from '#adapter-contracts/testing';
import { openVaultProjections } from '#projections';
import { loadCoreRegistry } from '#registry';
import { openFsStore } from '#stores/fs';
import { createGraphProjection } from '../graph/graph-projection.ts';
import { createEmbeddings } from './create-embeddings.ts';
import type { EmbedderInForce } from './embeddings.ts';

const registry = loadCoreRegistry();

const memory = (title: string, more = '', body = ''): string =>
  `---\ntype: memory\nslug: s\ncategory: facts\ntitle: "${title}"\n${more}---\n\n${body}\n`;

const files = {
  'memory/ja.md': memory('会議は来週の火曜に変更'),
  'memory/es.md': memory('La fianza se devuelve con la bicicleta'),
  'memory/en.md': memory('The price of a helmet'),
  'plain.md': 'No document: the meeting on tuesday.\n',
};

const noModel: EmbedderInForce = { embedder: null, problem: null, embedsPrivate: false, place: null, hosted: false };

/** A vault's directory, and what one process after another opens over it. */
const directoryVault = async (contents: Readonly<Record<string, string>> = files) => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-embeddings-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.ssss'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(contents)) write(path, text);
  const store = await openFsStore({ root, workspaceId: 'ws-a' });
  onTestFinished(() => store.close());
  const source = { vfs: store.vfs, events: store.events, workspaceId: 'ws-a' };
  const open = (given: Embedder | null, more: Partial<EmbedderInForce> = {}) => {
    const projections = openVaultProjections({
      derivedDirectory: join(root, '.ssss', 'derived'),
      source,
      projections: [createGraphProjection(registry)],
      clock: systemClock,
      onNotice: () => undefined,
    });
    onTestFinished(() => projections.close());
    const inForce = { current: { ...noModel, embedder: given, ...more } };
    const embeddings = createEmbeddings({
      projections,
      registry,
      current: () => inForce.current,
      source,
    });
    return {
      ...embeddings,
      state: async () => {
        await projections.level();
        return embeddings.state();
      },
      projections,
      inForce,
      ask: (query: string, limit = 5) => embeddings.nearest(query, { limit, allowed: () => true }),
    };
  };
  return { root, write, remove: (path: string) => rmSync(join(root, path)), open };
};

test('without a model nothing is claimed and nothing found', async () => {
  const { open } = await directoryVault();
  const off = open(null);
  expect(await off.state()).toEqual({ state: 'off' });
  expect(await off.ask('meeting')).toEqual([]);
  await expect(off.embed()).rejects.toThrow('No embedding model is set');
  expect(await open(null, { problem: 'embedder.json is not JSON' }).state()).toEqual({ state: 'off', reason: 'embedder.json is not JSON' });
});

test('a question in one language finds the document in another, and its nearness is told', async () => {
  const vault = (await directoryVault()).open(createConceptEmbedder());
  expect(await vault.embed()).toMatchObject({ model: 'concept-table', dimension: 96, embedded: 3, missing: 0, total: 3, failed: [] });
  const [meeting, ...rest] = await vault.ask('when is the meeting');
  expect(meeting?.path).toBe('memory/ja.md');
  expect(meeting?.similarity).toBeGreaterThan(0.4);
  for (const hit of rest) expect(hit.similarity).toBeLessThan(0.3);
  expect((await vault.ask('ไม่ได้รับเงินมัดจำจักรยานคืน'))[0]?.path).toBe('memory/es.md');
  expect((await vault.ask('価格 ヘルメット 料金'))[0]?.path).toBe('memory/en.md');
});

test('an answer holds the best of those allowed, each document once, however many pieces it has', async () => {
  const long = memory(
    'Notes',
    '',
    Array.from({ length: 60 }, (_, line) => `The meeting number ${line} was moved to tuesday next week.`).join('\n'),
  );
  const vault = (await directoryVault({ ...files, 'memory/long.md': long })).open(createConceptEmbedder());
  await vault.embed();
  expect((await vault.ask('meeting tuesday', 2)).map(hit => hit.path).sort()).toEqual(['memory/ja.md', 'memory/long.md']);
  const only = await vault.nearest('meeting tuesday', { limit: 2, allowed: path => path !== 'memory/ja.md' });
  expect(only.map(hit => hit.path)).toEqual(['memory/long.md', expect.stringMatching(/(es|en)\.md$/)]);
});

test('only what is missing is embedded, and what is gone or changed is never shown', async () => {
  const { open, write, remove } = await directoryVault();
  const asked: string[] = [];
  const vault = open(counting(createConceptEmbedder(), asked));
  await vault.embed();
  expect(asked.filter(text => text.includes('helmet'))).toHaveLength(1);
  write('memory/en.md', memory('The price of insurance'));
  remove('memory/ja.md');
  expect(await vault.state()).toEqual({ state: 'ready', model: 'concept-table', dimension: 96, missing: 1 });
  expect((await vault.ask('meeting helmet')).map(hit => hit.path)).toEqual(['memory/es.md']);
  asked.length = 0;
  expect(await vault.embed()).toMatchObject({ embedded: 1, missing: 0, total: 2 });
  expect(asked.filter(text => text.startsWith('The price of insurance'))).toHaveLength(1);
  expect(asked.some(text => text.includes('fianza'))).toBe(false);
  expect((await vault.ask('insurance'))[0]?.path).toBe('memory/en.md');
});

test('what another process embeds or changes is seen at the next question', async () => {
  const { open, write } = await directoryVault();
  const [one, other] = [open(createConceptEmbedder()), open(createConceptEmbedder())];
  await one.embed();
  expect((await other.ask('meeting'))[0]?.path).toBe('memory/ja.md');
  write('memory/en.md', memory('Insurance'));
  expect(await one.embed()).toMatchObject({ embedded: 1 });
  expect((await other.ask('insurance'))[0]?.path).toBe('memory/en.md');
  expect(await other.state()).toMatchObject({ missing: 0 });
});

test('two processes that embed at once leave one set of vectors', async () => {
  const { open } = await directoryVault();
  const vaults = [open(createConceptEmbedder()), open(createConceptEmbedder())];
  await Promise.all(vaults.map(vault => vault.embed()));
  for (const vault of vaults) expect(await vault.state()).toMatchObject({ state: 'ready', missing: 0 });
  const rows = await vaults[0]?.projections.read(db =>
    db.prepare('SELECT COUNT(*) AS n, COUNT(DISTINCT path) AS paths FROM embedding_vectors').get(),
  );
  expect(rows).toEqual({ n: 3, paths: 3 });
});

describe('another model', () => {
  test('of the same dimension is noticed, and no question is compared with its predecessor', async () => {
    const { open, write } = await directoryVault();
    const vault = open(createConceptEmbedder({ model: 'A' }));
    await vault.embed();
    vault.inForce.current = { ...noModel, embedder: createConceptEmbedder({ model: 'B' }) };
    write('memory/new.md', memory('Rain in winter'));
    expect(await vault.state()).toMatchObject({
      state: 'reindex_needed',
      model: 'B',
      reason: expect.stringContaining('made by A') as unknown,
    });
    await expect(vault.ask('meeting')).rejects.toThrow('made by A, and B is set');
    expect(await vault.embed()).toMatchObject({ model: 'B', embedded: 4, missing: 0 });
    expect((await vault.ask('rain in winter'))[0]?.path).toBe('memory/new.md');
    const models = await vault.projections.read(db => db.prepare('SELECT DISTINCT model FROM embedding_vectors').pluck().all());
    expect(models).toEqual(['B']);
  });

  test('of another dimension under the same name is noticed', async () => {
    const { open } = await directoryVault();
    const vault = open(createConceptEmbedder({ dimension: 96 }));
    await vault.embed();
    vault.inForce.current = { ...noModel, embedder: createConceptEmbedder({ dimension: 128 }) };
    expect(await vault.state()).toMatchObject({ state: 'reindex_needed', reason: expect.stringContaining('96 numbers') as unknown });
    await expect(vault.ask('meeting')).rejects.toThrow('96 numbers');
    await vault.embed();
    expect((await vault.ask('meeting'))[0]?.path).toBe('memory/ja.md');
  });

  test('is noticed by its first answer where it does not say its dimension before', async () => {
    const { open } = await directoryVault();
    const vault = open(createConceptEmbedder({ dimension: 96 }));
    await vault.embed();
    vault.inForce.current = { ...noModel, embedder: shy(createConceptEmbedder({ dimension: 128 })) };
    expect(await vault.state()).toMatchObject({ state: 'ready' });
    await expect(vault.ask('meeting')).rejects.toThrow('96 numbers');
    expect(await vault.state()).toMatchObject({ state: 'reindex_needed' });
  });

  test('that answers to the same name with the same dimension is noticed by a sentence it answered before', async () => {
    const { open } = await directoryVault();
    const vault = open(createConceptEmbedder());
    await vault.embed();
    vault.inForce.current = { ...noModel, embedder: { ...createConceptEmbedder({ model: 'other weights' }), model: 'concept-table' } };
    await expect(vault.ask('meeting')).rejects.toThrow('answers otherwise');
    expect(await vault.state()).toMatchObject({ state: 'reindex_needed', reason: expect.stringContaining('--rebuild') as unknown });
    expect(await vault.embed()).toMatchObject({ embedded: 3, missing: 0 });
    expect((await vault.ask('meeting'))[0]?.path).toBe('memory/ja.md');
  });

  test('leaves the vectors of the first where they are until nothing is missing', async () => {
    const { open } = await directoryVault();
    const vault = open(createConceptEmbedder({ model: 'A' }));
    await vault.embed();
    const second = createConceptEmbedder({ model: 'B' });
    vault.inForce.current = { ...noModel, embedder: second };
    expect(await vault.embed({ limit: 1 })).toMatchObject({ embedded: 1, missing: 2 });
    vault.inForce.current = { ...noModel, embedder: createConceptEmbedder({ model: 'A' }) };
    expect(await vault.state()).toMatchObject({ state: 'ready', missing: 0 });
    vault.inForce.current = { ...noModel, embedder: second };
    expect(await vault.state()).toMatchObject({ state: 'ready', missing: 2 });
  });
});

describe('documents of private classes', () => {
  const withPrivate = { ...files, 'memory/secret.md': memory('The meeting on tuesday', 'x_portability: tenant_private\n') };

  test('are embedded only where that is allowed', async () => {
    const asked: string[] = [];
    const vault = (await directoryVault(withPrivate)).open(counting(createConceptEmbedder(), asked));
    expect(await vault.embed()).toMatchObject({ total: 3 });
    expect(asked.some(text => text.includes('The meeting on tuesday'))).toBe(false);
    vault.inForce.current = { ...vault.inForce.current, embedsPrivate: true };
    expect(await vault.state()).toMatchObject({ missing: 1 });
    expect(await vault.embed()).toMatchObject({ total: 4, embedded: 1 });
    expect((await vault.ask('meeting on tuesday'))[0]?.path).toBe('memory/secret.md');
  });

  test('are neither shown nor kept once that is withdrawn', async () => {
    const vault = (await directoryVault(withPrivate)).open(createConceptEmbedder(), { embedsPrivate: true });
    await vault.embed();
    vault.inForce.current = { ...vault.inForce.current, embedsPrivate: false };
    expect((await vault.ask('meeting on tuesday')).map(hit => hit.path)).not.toContain('memory/secret.md');
    await vault.embed();
    const paths = await vault.projections.read(db => db.prepare('SELECT DISTINCT path FROM embedding_vectors').pluck().all());
    expect(paths).not.toContain('memory/secret.md');
  });
});

describe('a model in trouble', () => {
  const many = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [`memory/n${String(index).padStart(3, '0')}.md`, memory(`Note ${index}`)]),
  );

  test('that goes away ends the run; the next one goes on where it stopped', async () => {
    const { open } = await directoryVault(many);
    let calls = 0;
    const failing = refusing(createConceptEmbedder(), () => {
      calls += 1;
      return calls > 4 ? new EmbedderUnavailableError('gone') : null;
    });
    const vault = open(failing);
    await expect(vault.embed()).rejects.toThrow('gone');
    const asked: string[] = [];
    const next = open(counting(createConceptEmbedder(), asked));
    const state = await next.state();
    expect(state).toMatchObject({ state: 'ready', missing: 58 });
    expect(await next.embed()).toMatchObject({ embedded: 58, missing: 0 });
    expect(asked.filter(text => text.startsWith('Note'))).toHaveLength(58);
  });

  test('an abort ends the run between two requests, and nothing is half done', async () => {
    const { open } = await directoryVault(many);
    const abort = new AbortController();
    const vault = open(createConceptEmbedder());
    const progress: number[] = [];
    const run = vault.embed({
      signal: abort.signal,
      onProgress: ({ done }) => {
        progress.push(done);
        if (done >= 32) abort.abort(new Error('enough'));
      },
    });
    await expect(run).rejects.toThrow('enough');
    expect(progress).toEqual([0, 32]);
    expect(await vault.state()).toMatchObject({ missing: 58 });
  });

  test('one document that it does not take keeps no other out, and is named', async () => {
    const { open } = await directoryVault(many);
    const choosy = refusing(createConceptEmbedder(), texts =>
      texts.some(text => text.startsWith('Note 41')) ? new Error('too long') : null,
    );
    const report = await open(choosy).embed();
    expect(report).toMatchObject({ embedded: 89, missing: 1, failed: [{ path: 'memory/n041.md', reason: 'too long' }] });
  });

  test('that takes nothing at all is given up', async () => {
    const { open } = await directoryVault(many);
    const stubborn = refusing(createConceptEmbedder(), texts => (texts.some(text => text.startsWith('Note')) ? new Error('no') : null));
    await expect(open(stubborn).embed()).rejects.toThrow('the model takes no document; the first it refused is memory/n000.md: no');
  });

  test('that is away makes a question fail, with the reason', async () => {
    const vault = (await directoryVault()).open(createConceptEmbedder());
    await vault.embed();
    vault.inForce.current = {
      ...noModel,
      embedder: refusing(createConceptEmbedder(), () => new EmbedderUnavailableError('http://x cannot be reached')),
    };
    await expect(vault.ask('meeting')).rejects.toThrow('http://x cannot be reached');
    expect(await vault.state()).toMatchObject({ state: 'ready' });
  });
});

describe('in the background', () => {
  test('changed documents are embedded as they come, until it is stopped', async () => {
    const { open, write } = await directoryVault();
    const vault = open(createConceptEmbedder());
    await vault.embed();
    const stop = vault.keepLevel();
    write('memory/new.md', memory('Rain in winter'));
    await expect.poll(async () => (await vault.ask('rain in winter'))[0]?.path, { timeout: 10_000 }).toBe('memory/new.md');
    await stop();
    expect(vault.notices()).toEqual([]);
  });

  test('no index is begun or exchanged by itself', async () => {
    const { open } = await directoryVault();
    const asked: string[] = [];
    const vault = open(counting(createConceptEmbedder(), asked));
    const stop = vault.keepLevel();
    await new Promise(resolve => setTimeout(resolve, 1200));
    await stop();
    expect(asked).toEqual([]);
    expect(await vault.state()).toMatchObject({ state: 'reindex_needed' });
  });

  test('an index that vanishes is made again', async () => {
    const { open, root } = await directoryVault();
    const vault = open(createConceptEmbedder());
    await vault.embed();
    const asked: string[] = [];
    vault.inForce.current = { ...noModel, embedder: counting(createConceptEmbedder(), asked) };
    const stop = vault.keepLevel();
    await expect.poll(async () => (await vault.state()).state).toBe('ready');
    // Until the keeper has seen it ready.
    await new Promise(resolve => setTimeout(resolve, 1200));
    rmSync(join(root, '.ssss', 'derived'), { recursive: true });
    await expect.poll(() => vault.state(), { timeout: 10_000 }).toMatchObject({ state: 'ready', missing: 0 });
    await stop();
    expect(asked.filter(text => text.includes('helmet'))).toHaveLength(1);
  });

  test('a model that is away is told, and the notice goes when it is back', async () => {
    const { open, write } = await directoryVault();
    let away = false;
    const vault = open(refusing(createConceptEmbedder(), () => (away ? new EmbedderUnavailableError('http://x cannot be reached') : null)));
    await vault.embed();
    away = true;
    write('memory/new.md', memory('Rain in winter'));
    const stop = vault.keepLevel();
    await expect.poll(() => vault.notices(), { timeout: 10_000 }).toEqual(['http://x cannot be reached']);
    away = false;
    await expect.poll(() => vault.notices(), { timeout: 15_000 }).toEqual([]);
    expect(await vault.state()).toMatchObject({ missing: 0 });
    await stop();
  });
});

test('deleting the derived directory costs the vectors and nothing else', async () => {
  const { open, root } = await directoryVault();
  const vault = open(createConceptEmbedder());
  await vault.embed();
  await vault.ask('meeting');
  rmSync(join(root, '.ssss', 'derived'), { recursive: true });
  expect(await vault.state()).toMatchObject({ state: 'reindex_needed' });
  expect(await vault.embed()).toMatchObject({ embedded: 3 });
  expect((await vault.ask('meeting'))[0]?.path).toBe('memory/ja.md');
});

const counting = (embedder: Embedder, asked: string[]): Embedder =>
  refusing(embedder, texts => {
    asked.push(...texts);
    return null;
  });

const refusing = (embedder: Embedder, refuse: (texts: readonly string[]) => Error | null): Embedder => ({
  ...embedder,
  async embed(texts, options) {
    const refusal = refuse(texts);
    if (refusal !== null) throw refusal;
    return embedder.embed(texts, options);
  },
});

/** Says its dimension only after the first answer, as an endpoint does. */
const shy = (embedder: Embedder): Embedder => {
  let asked = false;
  return {
    model: embedder.model,
    batchSize: embedder.batchSize,
    get dimension() {
      return asked ? embedder.dimension : null;
    },
    async embed(texts, options) {
      const vectors = await embedder.embed(texts, options);
      asked = true;
      return vectors;
    },
  };
};
