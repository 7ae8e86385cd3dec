import { expect, test } from 'vitest';
import { checkEmbedderSettings, embedsPrivate, parseEmbedderSettings } from './embedder-settings.ts';

const endpoint = (more: object): unknown => ({ kind: 'endpoint', base_url: 'http://127.0.0.1:11434/v1', model: 'bge-m3', ...more });
const check = (value: unknown) => checkEmbedderSettings(value, 'embedder.json');

test.each([
  [{ base_url: 'localhost:11434' }, 'must begin with https:// or http://'],
  [{ base_url: 'not an address' }, 'is no address'],
  [{ base_url: 'https://user:secret@api.example.com/v1' }, 'must hold no user or password'],
  [{ base_url: 'https://api.example.com/v1?key=1' }, 'must end with its path'],
  [{ base_url: 'http://api.example.com/v1', key: { env: 'K', origin: 'http://api.example.com' } }, 'a key is sent over https only'],
  [{ base_url: 'http://192.168.1.20:11434/v1', private_to: 'http://192.168.1.20:11434' }, 'private documents are sent over https only'],
  [{ key: { env: 'two words', origin: 'x' } }, 'key.env: must be the name of an environment variable'],
  [{ model: 'two\nlines' }, 'model: must be one line of text'],
  [{ model: '' }, 'model:'],
  [{ dimension: 0 }, 'dimension:'],
  [{ surprise: 1 }, 'surprise'],
])('%j is refused naming the place', (more, reason) => {
  expect(() => check(endpoint(more))).toThrow(reason);
});

test('a password in an address is not repeated', () => {
  const said: string[] = [];
  try {
    check(endpoint({ base_url: 'https://user:secret@api.example.com/v1' }));
  } catch (error) {
    said.push((error as Error).message);
  }
  expect(said).toEqual(['embedder.json: base_url: must hold no user or password: name the key with --key-env']);
});

test('a file that is not JSON is named', () => {
  expect(() => parseEmbedderSettings('{', '/state/embedder.json')).toThrow('/state/embedder.json is not JSON');
});

test('private documents go only where consent names the origin', () => {
  const hosted = { base_url: 'https://api.example.com/v1' };
  expect(embedsPrivate(check(endpoint(hosted)))).toBe(false);
  expect(embedsPrivate(check(endpoint({ ...hosted, private_to: 'https://api.example.com' })))).toBe(true);
  expect(embedsPrivate(check(endpoint({ ...hosted, private_to: 'https://other.example.com' })))).toBe(false);
  expect(embedsPrivate(check({ kind: 'local', directory: '/models/e5' }))).toBe(false);
  expect(embedsPrivate(check({ kind: 'local', directory: '/models/e5', private: true }))).toBe(true);
});
