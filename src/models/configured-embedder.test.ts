import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEmbedderFile } from './configured-embedder.ts';

const openFile = () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'sheaf-embedder-file-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  return { stateDir, file: openEmbedderFile({ stateDir, writeFile: (path, text) => writeFileSync(path, text) }) };
};

test('without a file no model is in force', () => {
  expect(openFile().file.current()).toEqual({ embedder: null, problem: null, embedsPrivate: false, place: null, hosted: false });
});

test('what is written is in force at once, and one model is opened once', () => {
  const { file } = openFile();
  file.write({ kind: 'endpoint', base_url: 'https://api.example.com/v1', model: 'a', private_to: 'https://api.example.com' });
  expect(file.current()).toMatchObject({ embedder: { model: 'a' }, place: 'https://api.example.com', hosted: true, embedsPrivate: true });
  expect(file.current().embedder).toBe(file.current().embedder);
  file.write({ kind: 'endpoint', base_url: 'http://127.0.0.1:1/v1', model: 'b' });
  expect(file.current()).toMatchObject({ embedder: { model: 'b' }, hosted: false, embedsPrivate: false });
  file.write(null);
  expect(file.current().embedder).toBeNull();
});

test('what cannot be used is refused and not written; a broken file is a problem, and neither names a place on this machine', () => {
  const { file, stateDir } = openFile();
  expect(() => file.write({ kind: 'endpoint', base_url: 'x', model: 'a' })).toThrow('embedder.json: base_url');
  expect(statSync(file.path, { throwIfNoEntry: false })).toBeUndefined();
  writeFileSync(file.path, '{');
  expect(file.current()).toMatchObject({ embedder: null, problem: 'embedder.json is not JSON' });
  mkdirSync(join(stateDir, 'model'));
  file.write({ kind: 'local', directory: join(stateDir, 'model') });
  expect(file.current().problem).toContain('holds no model that transformers.js can run');
  expect(file.current().problem).not.toContain(stateDir);
});
