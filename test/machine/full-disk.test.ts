import { afterAll, describe, expect, test } from 'vitest';
import type { Vault } from '#api';
import { initVault, openVault } from '#open-vault';
import { type Answer, checkPromises, createHistory, eventsOf, type Request } from '../crash/history.ts';
import { skipAloud } from '../crash/skip-aloud.ts';
import { deleteDocument, patchDocument, recordEvent, send, writeRule } from './requests.ts';
import { mountSmallDisk } from './small-disk.ts';

const kib = 1 << 10;
const disk = mountSmallDisk(24);
afterAll(() => {
  if (typeof disk !== 'string') disk.remove();
});

/** One request of each kind; `mark` keeps one full disk's requests apart from another's. */
const oneOfEach = (mark: string): readonly Request[] => [
  writeRule('rules/a.md', `${mark} ${'x'.repeat(3 * kib)}`),
  writeRule(`rules/${mark}/new.md`, mark),
  patchDocument('rules/b.md', { scope: mark }),
  recordEvent(`shop/${mark}`),
  deleteDocument('rules/c.md'),
];

const expectRefusal = ({ error }: Answer): void => {
  expect(error?.code, error?.message).toMatch(/^(internal_error|not_found)$/);
  if (error?.code === 'internal_error') expect(error.message, 'the refusal names the reason').toMatch(/no space left|ENOSPC|disk is full/i);
};

describe.skipIf(skipAloud('a real full disk', typeof disk === 'string' ? disk : null))('a disk of 24 MiB that fills up', () => {
  test('refuses what does not fit, keeps what was acknowledged, and goes on by itself when there is room again', async () => {
    if (typeof disk === 'string') return;
    const root = `${disk.directory}/vault`;
    const stateDir = `${disk.directory}/state`;
    const history = createHistory();
    const vault = await initVault({ root, workspaceId: 'ws-crash' }).then(() => openVault({ root, stateDir }));
    for (const name of ['a', 'b', 'c'])
      expect(await send(history, vault, writeRule(`rules/${name}.md`, name))).toMatchObject({ success: true });
    let refused = 0;
    // From no room at all to enough: every step of a commit gets to be the one that does not fit.
    for (let free = 0; free <= 96 * kib; free += 4 * kib) {
      disk.fillUpTo(free);
      const answers = await Promise.all(oneOfEach(`full-${free}`).map(request => send(history, vault, request)));
      for (const answer of answers) if (!answer.success) expectRefusal(answer);
      refused += answers.filter(answer => answer.error?.code === 'internal_error').length;
      await readWhileFull(vault);
      disk.clear();
      // Whatever comes first decides what was left behind, on other paths too.
      expect(await send(history, vault, recordEvent(`shop/room-${free}`))).toMatchObject({ success: true });
      await checkPromises(history, vault);
      for (const request of [
        writeRule('rules/c.md', `room ${free}`),
        ...oneOfEach(`room-${free}`),
        writeRule('rules/c.md', `again ${free}`),
      ]) {
        const answer = await send(history, vault, request);
        expect(answer, answer.error?.message).toMatchObject({ success: true });
      }
      await checkPromises(history, vault);
    }
    expect(refused, 'the disk was full indeed').toBeGreaterThan(3);
    await vault.close();
    const again = await openVault({ root, stateDir });
    expect(again.recoveries.filter(({ outcome }) => outcome === 'conflict')).toEqual([]);
    await checkPromises(history, again);
    expect((await again.check()).log_damage).toEqual([]);
    await again.close();
  }, 600_000);
});

/** Reading needs no room; only an index on the disk may not keep up, and a vault opened for reading has its own in memory. */
const readWhileFull = async (vault: Vault): Promise<void> => {
  expect((await vault.read('rules/a.md'))?.kind).toBe('document');
  const reading = await openVault({ root: vault.root ?? '', readOnly: true });
  expect((await eventsOf(reading)).length).toBeGreaterThan(2);
  await reading.close();
};
