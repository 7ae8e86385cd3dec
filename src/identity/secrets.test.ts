import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fakeClock } from '#adapter-contracts/testing';
import { createSecrets } from './secrets.ts';
import { createMemoryStateFile, openStateFile } from './state-file.ts';

const onDisk = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-secrets-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const stateDir = join(directory, 'state');
  const file = openStateFile(stateDir, 'secrets');
  return { stateDir, file, secrets: createSecrets(file, fakeClock()) };
};

const shop = { origin: 'https://shop.example', value: 'sk-0123456789' };

test('a secret is given for its own origin and for no other', async () => {
  const secrets = createSecrets(createMemoryStateFile('secrets'), fakeClock());
  expect(await secrets.set('shop', shop)).toBe(false);
  expect(await secrets.set('shop', { ...shop, value: 'sk-new' })).toBe(true);
  expect(secrets.read('shop', shop.origin)).toBe('sk-new');
  for (const origin of ['https://shop.example.evil', 'http://shop.example', 'https://shop.example:8443']) {
    expect(() => secrets.read('shop', origin)).toThrow("'shop' was entered for https://shop.example and is not sent to");
  }
  expect(() => secrets.read('none', shop.origin)).toThrow("no secret 'none'");
  expect(JSON.stringify(secrets.list())).not.toContain('sk-');
  expect(await secrets.remove('shop')).toBe(true);
  expect(await secrets.remove('shop')).toBe(false);
});

test('secrets lie in a file that only their owner may read, and nothing is made before the first', async () => {
  const { stateDir, file, secrets } = onDisk();
  expect(secrets.list()).toEqual([]);
  expect(() => statSync(stateDir)).toThrow('ENOENT');
  await secrets.set('shop', shop);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  expect(createSecrets(openStateFile(stateDir, 'secrets'), fakeClock()).read('shop', shop.origin)).toBe(shop.value);
});

test('two that enter secrets at once both succeed', async () => {
  const { stateDir, secrets } = onDisk();
  const other = createSecrets(openStateFile(stateDir, 'secrets'), fakeClock());
  await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? secrets : other).set(`s${index}`, shop)));
  expect(secrets.list()).toHaveLength(10);
});

test.each(['{', '{"version":2,"secrets":{}}', '{"version":1,"secrets":{"a":{"value":"sk-leak"}}}'])(
  'a file that cannot be read is an error, not an empty one, and is not quoted: %s',
  async text => {
    const { file, secrets } = onDisk();
    await secrets.set('shop', shop);
    writeFileSync(file.path, text);
    for (const use of [() => secrets.list(), () => secrets.read('shop', shop.origin)]) {
      expect(use).toThrow('cannot be read');
      expect(use).not.toThrow('sk-leak');
    }
    await expect(secrets.set('other', shop)).rejects.toThrow('cannot be read');
    expect(readFileSync(file.path, 'utf8')).toBe(text);
  },
);
