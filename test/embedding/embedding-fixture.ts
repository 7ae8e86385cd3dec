import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Embedder, systemClock } from '#adapter-contracts';
import { openVaultProjections } from '#projections';
import { loadCoreRegistry } from '#registry';
import { openFsStore } from '#stores/fs';
import { createEmbeddings } from '../../src/semantic/embedding/create-embeddings.ts';
import type { EmbedderInForce } from '../../src/semantic/embedding/embeddings.ts';
import { createGraphProjection } from '../../src/semantic/graph/graph-projection.ts';

const registry = loadCoreRegistry();

export const memory = (title: string, more = '', body = ''): string =>
  `---\ntype: memory\nslug: s\ncategory: facts\ntitle: "${title}"\n${more}---\n\n${body}\n`;

export const files = {
  'memory/ja.md': memory('会議は来週の火曜に変更'),
  'memory/es.md': memory('La fianza se devuelve con la bicicleta'),
  'memory/en.md': memory('The price of a helmet'),
  'plain.md': 'No document: the meeting on tuesday.\n',
};

export const noModel: EmbedderInForce = { embedder: null, problem: null, embedsPrivate: false, place: null, hosted: false };

/** A vault's directory, and what one process after another opens over it. */
export const directoryVault = async (contents: Readonly<Record<string, string>> = files) => {
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

export const counting = (embedder: Embedder, asked: string[]): Embedder =>
  refusing(embedder, texts => {
    asked.push(...texts);
    return null;
  });

export const refusing = (embedder: Embedder, refuse: (texts: readonly string[]) => Error | null): Embedder => ({
  ...embedder,
  async embed(texts, options) {
    const refusal = refuse(texts);
    if (refusal !== null) throw refusal;
    return embedder.embed(texts, options);
  },
});

/** Says its dimension only after the first answer, as an endpoint does. */
export const shy = (embedder: Embedder): Embedder => {
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
