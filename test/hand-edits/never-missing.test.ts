import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { editedVault, memory } from './edited-vault.ts';

/** A vault in which an editor, in a process of its own, saves one document without a pause. */
const underEditor = async () => {
  const edited = await editedVault();
  await edited.commit('memory/a.md', memory('start'));
  for (const slug of ['b', 'c', 'd']) await edited.commit(`memory/${slug}.md`, memory('still', slug));
  const head = memory('').trimEnd();
  const child = spawn(process.execPath, [resolve('test/hand-edits/editor-loop.mjs'), edited.at('memory/a.md'), `${head}\n`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return edited;
};

/** Looks so often, with the editor saving all the while. */
const repeatedly = async (times: number, look: () => Promise<void>): Promise<void> => {
  for (let count = 0; count < times; count += 1) await look();
};

test('a document that an editor is saving is always listed, with its type, and never said to be deleted', async () => {
  const { vault } = await underEditor();
  await repeatedly(12, async () => {
    const listed: string[] = [];
    for await (const entry of vault.list({ type: 'ssss:memory' })) listed.push(entry.path);
    expect(listed).toEqual(['memory/a.md', 'memory/b.md', 'memory/c.md', 'memory/d.md']);
    for (const row of (await vault.status()).rows) expect(row).toMatchObject({ kind: 'drift', path: 'memory/a.md', change: 'replace' });
  });
});

test.each([false, true])('a document that an editor is saving is always found (watched: %s)', async watched => {
  const { vault, watch } = await underEditor();
  if (watched) await watch();
  await repeatedly(8, async () => {
    expect((await vault.search('note')).hits.map(({ path }) => path).sort()).toEqual([
      'memory/a.md',
      'memory/b.md',
      'memory/c.md',
      'memory/d.md',
    ]);
  });
});

test('a document that an editor is saving can always be read', async () => {
  const { vault } = await underEditor();
  await repeatedly(60, async () => {
    expect((await vault.read('memory/a.md'))?.type).toBe('ssss:memory');
  });
});
