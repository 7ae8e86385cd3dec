import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Embedder, EmbedderUnavailableError } from '#adapter-contracts';
import { createConceptEmbedder, serveEmbedder } from '#adapter-contracts/testing';
import { calls, runCall, type Vault } from '#api';
import { isVaultError } from '#errors';
import { initVault, openVault, vaultEmbedder } from '#open-vault';

const rule = (title: string, more = ''): string =>
  `---\ntype: rule\ntitle: ${JSON.stringify(title)}\ndescription: "-"\ntimestamp: 2026-05-16T14:00:00Z\nname: n\n${more}---\n`;

const notes = {
  'ja.md': rule('会議は来週の火曜に変更', 'language: ja\n'),
  'es.md': rule('La fianza se devuelve con la bicicleta', 'language: es\n'),
  'de.md': rule('Im Winter keine Kinderräder', 'language: de\n'),
  'en.md': rule('Helmet prices', 'language: en\n'),
};

/** A vault's directory with notes, and openings of it with one model after another. */
const directory = async (files: Readonly<Record<string, string>> = notes) => {
  const home = mkdtempSync(join(tmpdir(), 'sheaf-meaning-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, 'vault');
  await initVault({ root, workspaceId: 'ws' });
  mkdirSync(join(root, 'notes'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'notes', name), text);
  const stateDir = join(home, 'state');
  const open = async (embedder?: Embedder): Promise<Vault> => {
    const vault = await openVault({ root, stateDir, ...(embedder === undefined ? {} : { embedder }) });
    onTestFinished(() => vault.close());
    return vault;
  };
  return { root, stateDir, open };
};

const found = async (vault: Vault, query: string) => {
  const { hits, reasons, semantic } = await vault.search(query);
  return { hits, first: hits[0]?.path, codes: reasons.map(reason => reason.code), semantic };
};

test.each([
  ['en', 'when is the meeting', 'notes/ja.md'],
  ['de', 'Wann bekomme ich meine Kaution zurück?', 'notes/es.md'],
  ['es', 'bicicletas de niños en invierno', 'notes/de.md'],
  ['ja', 'ヘルメットの料金', 'notes/en.md'],
  ['zh', '会议改到什么时候', 'notes/ja.md'],
  ['th', 'ราคาหมวก', 'notes/en.md'],
  ['ar', 'متى الاجتماع', 'notes/ja.md'],
  ['hi', 'हेलमेट की कीमत', 'notes/en.md'],
])(
  'a question in %s finds first what another language says: no words in common, nearness in meaning told apart',
  async (_, query, path) => {
    const vault = await (await directory()).open(createConceptEmbedder());
    await vault.embeddings.embed();
    const { first, hits, codes } = await found(vault, query);
    expect(first).toBe(path);
    expect(hits[0]?.evidence.semantic).toBeGreaterThan(0.3);
    if (query === 'when is the meeting') expect(hits[0]?.evidence.lexical).toBe(0);
    expect(codes).not.toContain('cross_language_unavailable');
  },
);

test('common words of a question do not push what is far in meaning before the nearest document, which has none of them', async () => {
  const english = Array.from({ length: 30 }, (_, index) => [
    `n${index}.md`,
    rule(`The note ${index} is what the shop keeps when it is closed`),
  ]);
  const vault = await (await directory({ ...notes, ...(Object.fromEntries(english) as Record<string, string>) })).open(
    createConceptEmbedder(),
  );
  await vault.embeddings.embed();
  const { first, hits } = await found(vault, 'when is the meeting');
  expect(first).toBe('notes/ja.md');
  expect(hits.length).toBeGreaterThan(5);
});

test('without a model the answer says that search across languages is unavailable; aliases and semantic_id still match', async () => {
  const { open } = await directory({ 'ja.md': rule('会議は来週の火曜に変更', 'aliases: [meeting moved]\nsemantic_id: shop/meeting\n') });
  const vault = await open();
  expect((await found(vault, 'conference')).codes).toContain('cross_language_unavailable');
  expect((await found(vault, 'meeting')).first).toBe('notes/ja.md');
  expect((await found(vault, 'shop/meeting')).first).toBe('notes/ja.md');
});

test.each([
  ['the same dimension', 96],
  ['another dimension', 128],
])('after a change to a model of %s words answer, and no question meets the old vectors', async (_, dimension) => {
  const { open, root } = await directory();
  const before = await open(createConceptEmbedder({ model: 'A' }));
  await before.embeddings.embed();
  await before.close();
  const vault = await open(createConceptEmbedder({ model: 'B', dimension }));
  writeFileSync(join(root, 'notes', 'new.md'), rule('Rain'));
  const { codes, semantic, hits } = await found(vault, 'helmet');
  expect(semantic).toMatchObject({ state: 'reindex_needed', model: 'B' });
  expect(codes).toContain('reindex_needed');
  expect(hits.map(({ path, evidence }) => [path, evidence.semantic])).toEqual([['notes/en.md', null]]);
  await vault.embeddings.embed();
  expect((await found(vault, 'when is the meeting')).first).toBe('notes/ja.md');
});

test('a model that is away leaves the answer to words, and says so', async () => {
  const { open } = await directory();
  const model = createConceptEmbedder();
  let away = false;
  const vault = await open({
    ...model,
    embed: async (texts, options) => {
      if (away) throw new EmbedderUnavailableError('gone');
      return model.embed(texts, options);
    },
  });
  await vault.embeddings.embed();
  away = true;
  const { first, codes } = await found(vault, 'helmet');
  expect(first).toBe('notes/en.md');
  expect(codes).toContain('model_unreachable');
});

test('documents without vectors are counted in the answer', async () => {
  const { open, root } = await directory();
  const vault = await open(createConceptEmbedder());
  await vault.embeddings.embed();
  writeFileSync(join(root, 'notes', 'new.md'), rule('Rain in winter'));
  const { semantic, codes } = await found(vault, 'helmet');
  expect(semantic).toMatchObject({ state: 'ready', missing: 1 });
  expect(codes).toContain('vectors_missing');
});

test('a setting that is written while the vault is open takes effect at the next question, and so does its end', async () => {
  const { open, root, stateDir } = await directory();
  const served = await serveEmbedder(createConceptEmbedder());
  onTestFinished(() => served.close());
  const vault = await open();
  const setting = vaultEmbedder({ root, stateDir });
  setting.write({ kind: 'endpoint', base_url: served.baseUrl, model: 'concept-table' });
  expect((await found(vault, 'meeting')).semantic).toMatchObject({ state: 'reindex_needed' });
  await vault.embeddings.embed();
  expect((await found(vault, 'when is the meeting')).first).toBe('notes/ja.md');
  writeFileSync(setting.path, '{"kind":"endpoint"');
  expect((await found(vault, 'meeting')).semantic).toMatchObject({
    state: 'off',
    reason: expect.stringContaining('embedder.json is not JSON') as unknown,
  });
  expect(vault.notices()).toContainEqual({ kind: 'embedding', message: 'embedder.json is not JSON' });
  setting.write(null);
  expect((await found(vault, 'meeting')).semantic).toEqual({ state: 'off' });
});

test('an endpoint of ill will gets the texts and nothing else, and what it answers harms nobody', async () => {
  const key = 'sk-secret-0123456789abcdef';
  const elsewhere = await serveEmbedder(createConceptEmbedder());
  onTestFinished(() => elsewhere.close());
  const answers = [
    { status: 307, headers: { location: `${elsewhere.baseUrl}/embeddings` } },
    { status: 500, body: `bad key ${key}` },
    { body: `{"data":[{"index":0,"embedding":[NaN]}]}` },
    { body: ' '.repeat(10_000_000) },
    { body: '{"data":[]}' },
  ];
  process.env.MEANING_TEST_KEY = key;
  onTestFinished(() => void delete process.env.MEANING_TEST_KEY);
  for (const answer of answers) {
    const served = await serveEmbedder(createConceptEmbedder(), { answer: () => ({ headers: { 'retry-after': '0' }, ...answer }) });
    onTestFinished(() => served.close());
    const { open, root, stateDir } = await directory();
    const { origin } = new URL(served.baseUrl);
    vaultEmbedder({ root, stateDir }).write({
      kind: 'endpoint',
      base_url: served.baseUrl,
      model: 'concept-table',
      key: { env: 'MEANING_TEST_KEY', origin },
    });
    const vault = await open();
    const refusal = await runCall(calls['index.embed'], vault, { principal: vault.localPrincipal() }, {}).catch((error: unknown) => error);
    if (!isVaultError(refusal)) throw new Error(`not refused: ${JSON.stringify(refusal)}`);
    expect(refusal.code).toBe('internal_error');
    expect(refusal.message).toContain(origin);
    expect(JSON.stringify([refusal.message, vault.notices()])).not.toContain(key);
    expect(elsewhere.requests).toEqual([]);
    expect((await found(vault, 'helmet')).first).toBe('notes/en.md');
  }
});
