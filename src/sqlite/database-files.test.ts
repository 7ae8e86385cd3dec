import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConnection, newDatabasePath, newestDatabase, removeOlderDatabases } from './index.ts';

const makeDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-sqlite-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const late = 'rows-ffffffff-ffff-7fff-bfff-ffffffffffff.sqlite';

test('a link or a directory with the name of a database is none: opening a link would write where it leads', () => {
  const [directory, outside] = [makeDirectory(), makeDirectory()];
  symlinkSync(join(outside, 'made.sqlite'), join(directory, late));
  expect(newestDatabase(directory, 'rows')).toBeNull();
  mkdirSync(join(directory, late.replace('rows-f', 'rows-e')));
  const path = newDatabasePath(directory, 'rows');
  createConnection(path).close();
  removeOlderDatabases(directory, 'rows');
  expect(newestDatabase(directory, 'rows')).toBe(path);
  expect(readdirSync(outside)).toEqual([]);
});
