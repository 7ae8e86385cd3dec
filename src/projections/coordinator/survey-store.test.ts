import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { openFsStore } from '#stores/fs';
import { surveyDrift } from '../detect-drift.ts';
import { diskVaults, heldPaths, rule, workspaceId } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

test('a survey in a fresh process reads only files that changed, and what it learned is no reason to hold them', async () => {
  const { root, store, open } = await diskVault();
  for (let i = 0; i < 70; i += 1) {
    writeFileSync(join(root, `r${i}.md`), rule(String(i)));
    await store.events.append(sampleEvent({ subject: `r${i}.md`, after_hash: hashContent(rule(String(i))) }));
  }
  const read: string[] = [];
  const vfs = {
    ...store.vfs,
    read(path: string) {
      read.push(path);
      return store.vfs.read(path);
    },
  };
  const source = { vfs, events: store.events, workspaceId };
  const survey = async () => {
    read.length = 0;
    const process = open();
    const { rows } = await process.surveyed(memory => surveyDrift(source, memory));
    await process.close();
    return rows.map(({ path }) => path);
  };
  // By then their times say something.
  vi.setSystemTime(Date.now() + 3_000);
  onTestFinished(() => void vi.useRealTimers());
  expect(await survey()).toEqual([]);
  expect(read).toHaveLength(70);
  expect(await survey()).toEqual([]);
  expect(read).toEqual([]);
  writeFileSync(join(root, 'r7.md'), rule('seven'));
  expect(await survey()).toEqual(['r7.md']);
  expect(new Set(read)).toEqual(new Set(['r7.md']));
  const asking = open();
  expect(await asking.level()).toEqual({ events: 70, files: 70 });
  expect(await asking.read(heldPaths)).toHaveLength(70);
});
