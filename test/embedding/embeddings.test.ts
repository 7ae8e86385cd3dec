import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConceptEmbedder } from '#adapter-contracts/testing';
import { counting, directoryVault, files, memory, noModel, shy } from './embedding-fixture.ts';

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
