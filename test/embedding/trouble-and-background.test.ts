import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EmbedderUnavailableError } from '#adapter-contracts';
import { createConceptEmbedder } from '#adapter-contracts/testing';
import { counting, directoryVault, memory, noModel, refusing } from './embedding-fixture.ts';

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
