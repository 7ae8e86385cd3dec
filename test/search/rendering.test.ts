import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Renderer } from '#adapter-contracts';
import { createConceptEmbedder } from '#adapter-contracts/testing';
import { calls, runCall, type Vault } from '#api';
import { type MemoryVaultOptions, openMemoryVault } from '#open-vault';

const sample = (path: string): string => readFileSync(`examples/sample-vault/${path}`, 'utf8');
const extensions = ['language', 'rental'].map(id => JSON.parse(sample(`extensions/${id}.json`)) as object);

const openShop = async (options: MemoryVaultOptions = {}): Promise<Vault> => {
  const vault = await openMemoryVault({ extensions, ...options });
  onTestFinished(() => vault.close());
  for (const path of ['conventions/deutsch.md', 'bikes/city-7.md']) {
    const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: path, path, content: sample(`vault/${path}`) };
    expect(await vault.execute(envelope, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
  }
  return vault;
};

const render = (vault: Vault, capabilities: readonly string[] = ['*:*'], language = 'de') =>
  runCall(
    calls['document.render'],
    vault,
    { principal: { ...vault.localPrincipal(), capabilities } },
    { path: 'bikes/city-7.md', language },
  );

test('the convention of the vault decides how a document is shown, and nothing is stored', async () => {
  const vault = await openShop();
  const [before, end] = [await vault.read('bikes/city-7.md'), await vault.lastCursor()];
  const shown = await render(vault);
  expect(shown).toMatchObject({ language: 'de', convention: 'conventions/deutsch.md', renderer: null, text_language: 'en' });
  expect(shown.content).toMatch(/^day_price_eur: 14 {2}# 14,00\s€$/m);
  expect(shown.hash).toBe(before?.hash);
  expect(await vault.read('bikes/city-7.md')).toEqual(before);
  expect(await vault.lastCursor()).toBe(end);
});

test('a convention that the caller may not read is not used', async () => {
  const vault = await openShop();
  expect(await render(vault, ['rental:bicycle:read'])).toMatchObject({ convention: null });
  expect(await render(vault, ['rental:bicycle:read', 'language:*'])).toMatchObject({ convention: 'conventions/deutsch.md' });
  await expect(render(vault, ['language:*'])).rejects.toThrow('that you may read');
});

test('a convention that cannot be used spoils its own language only', async () => {
  const vault = await openShop();
  const content = sample('vault/conventions/deutsch.md')
    .replace(/^language: .*$/m, 'language: ja')
    .replace(/^format_locale: .*$/m, 'format_locale: ja-JP')
    .replace(/^time_zone: .*$/m, 'time_zone: Mars/Olympus');
  const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: 'ja', path: 'conventions/ja.md', content };
  expect(await vault.execute(envelope, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
  expect(await render(vault)).toMatchObject({ convention: 'conventions/deutsch.md' });
  await expect(render(vault, ['*:*'], 'ja')).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('conventions/ja.md'),
  });
});

test('without a convention for the language its own forms are used', async () => {
  const shown = await render(await openShop(), ['*:*'], 'ja');
  expect(shown.convention).toBeNull();
  expect(shown.content).toMatch(/^timestamp: 2026-09-14T05:45:00Z {2}# 2026\/09\/14/m);
});

test('a renderer that returns a control field is refused by its name', async () => {
  const renderer: Renderer = { id: 'careless', render: async () => ({ title: 'Stadtrad 7', path: 'bikes/stadt-7.md' }) };
  const refused = render(await openShop({ renderer }));
  await expect(refused).rejects.toMatchObject({ code: 'validation_failed', details: { issues: [{ field: 'path' }] } });
  await expect(refused).rejects.toThrow("The renderer 'careless' was refused. path:");
});

test('a renderer gets the convention, and its words are shown', async () => {
  let register: string | undefined;
  const renderer: Renderer = {
    id: 'careful',
    render: async ({ convention }) => {
      register = convention?.formality;
      return { title: 'Stadtrad 7' };
    },
  };
  const shown = await render(await openShop({ renderer }));
  expect(shown).toMatchObject({ renderer: 'careful', text_language: 'de' });
  expect(shown.content).toContain('title: Stadtrad 7\n');
  expect(register).toBe('formal');
});

test('a vault in memory is searched by meaning, too', async () => {
  const vault = await openShop({ embedder: createConceptEmbedder() });
  expect(await vault.embeddings.embed()).toMatchObject({ embedded: 2, missing: 0 });
  const { hits } = await vault.search('ブレーキ');
  expect(hits[0]).toMatchObject({ path: 'bikes/city-7.md', evidence: { lexical: 0, semantic: expect.any(Number) as unknown } });
});
