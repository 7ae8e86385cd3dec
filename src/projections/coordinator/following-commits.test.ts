import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { CanonicalEvent, ProjectionCoordinator } from '#adapter-contracts';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { openFsStore } from '#stores/fs';
import { diskVaults, heldPaths, rule, texts } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

const inner = (over: Partial<ProjectionCoordinator> = {}): ProjectionCoordinator => ({
  dispatch: async () => undefined,
  replay: async () => undefined,
  detectDrift: async () => false,
  ...over,
});

const committing = async () => {
  const vault = await diskVault();
  const commit = async (coordinator: ProjectionCoordinator, path: string): Promise<void> => {
    writeFileSync(join(vault.root, path), rule(path));
    const event = sampleEvent({ subject: path, after_hash: hashContent(rule(path)) });
    await vault.store.events.append(event);
    await coordinator.dispatch(event, Buffer.from(rule(path)), null);
  };
  return { ...vault, commit };
};

test('after a commit everything is brought level without anybody asking, once somebody has asked before', async () => {
  const { open, commit } = await committing();
  const told = texts();
  const projections = open({ projections: [told] });
  const coordinator = projections.following(inner());
  await projections.level();
  for (const path of ['a.md', 'b.md', 'c.md']) await commit(coordinator, path);
  await vi.waitFor(() => expect(told.told).toEqual(expect.arrayContaining(['a.md', 'b.md', 'c.md'])), { timeout: 5_000 });
});

test('a process that only writes opens no database', async () => {
  const { derived, open, commit } = await committing();
  const projections = open();
  await commit(projections.following(inner()), 'a.md');
  await projections.close();
  expect(readdirSync(derived).filter(name => name.startsWith('projections-'))).toEqual([]);
});

test('a reported path is taken over in the background, too', async () => {
  const { root, open } = await committing();
  const told = texts();
  const projections = open({ projections: [told] });
  projections.watched(true);
  await projections.level();
  writeFileSync(join(root, 'hand.md'), rule('hand'));
  projections.touched(['hand.md']);
  await vi.waitFor(() => expect(told.told).toEqual(['hand.md']), { timeout: 5_000 });
});

test('the coordinator answers for derived read models by their ids, and leaves others to the one behind it', async () => {
  const { open, commit } = await committing();
  const seen: (string | CanonicalEvent)[] = [];
  const projections = open();
  const coordinator = projections.following(
    inner({
      dispatch: async event => void seen.push(event),
      replay: async id => void seen.push(id),
      detectDrift: async () => true,
    }),
  );
  await commit(coordinator, 'a.md');
  await coordinator.replay('other', { rebuild: false });
  expect(seen).toEqual([expect.objectContaining({ subject: 'a.md' }), 'other']);
  expect(await coordinator.detectDrift('other', 'x')).toBe(true);
  expect(await coordinator.detectDrift('texts', 'sha256:0')).toBe(true);
  await coordinator.replay('texts', { rebuild: true });
  expect(await projections.read(heldPaths)).toEqual(['a.md']);
  const hash = hashContent(`${hashContent(rule('a.md')).slice('sha256:'.length)} a.md\n`);
  expect(await coordinator.detectDrift('texts', hash)).toBe(false);
});
