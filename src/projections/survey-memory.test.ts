import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Vfs } from '#adapter-contracts';
import { openFsStore } from '#stores/fs';
import { surveyDrift } from './detect-drift.ts';

const text = (word: string): string => `---\ntype: rule\ntitle: "${word}"\n---\n`;

test('a later survey reads only what changed, and sees an edit that keeps size and modification time', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-survey-'));
  mkdirSync(join(root, 'notes'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, 'notes', `${name}.md`), text('old'));
  const store = await openFsStore({ root, workspaceId: 'ws-a' });
  try {
    const read: string[] = [];
    const vfs: Vfs = {
      ...store.vfs,
      read(path) {
        read.push(path);
        return store.vfs.read(path);
      },
    };
    const memory = new Map<string, { stamp: string; hash: string }>();
    const survey = async () => {
      read.length = 0;
      const { rows } = await surveyDrift({ vfs, events: store.events, workspaceId: 'ws-a' }, memory);
      return new Map(rows.map(({ path, stored_hash: hash }) => [path, hash]));
    };
    const first = await survey();
    expect(memory.size, 'files written a moment ago have no stamp yet').toBe(0);
    // By then their times say something.
    vi.setSystemTime(Date.now() + 3_000);
    onTestFinished(() => void vi.useRealTimers());
    await survey();
    expect(memory.size).toBe(3);

    const file = join(root, 'notes', 'b.md');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, text('new'));
    utimesSync(file, atime, mtime);
    const last = await survey();
    expect(last.get('notes/b.md')).not.toBe(first.get('notes/b.md'));
    expect(last.get('notes/a.md')).toBe(first.get('notes/a.md'));
    // What the log does not know is read once more to say what it is.
    expect(read.filter(path => path === 'notes/a.md')).toHaveLength(1);
    expect(read.filter(path => path === 'notes/b.md')).toHaveLength(2);
  } finally {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  }
});
