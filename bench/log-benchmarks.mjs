// What a long log and a large vault cost: nothing that grows with them.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { initVault, openVault } from '#open-vault';
import { openFsStore } from '#stores/fs';
import { inFreshDirectory, openOurs, rule } from './bench-vault.mjs';
import { keyAt, writeGeneratedLog } from './generate-log.mjs';
import { writeGeneratedVault } from './generate-vault.mjs';
import { paired, timed } from './measure.mjs';

/** A vault of generated documents and events, indexed; closed again. */
const prepareLargeVault = async (root, { documents, events, segmentBytes, withFiles = false }) => {
  await initVault({ root, workspaceId: 'ws-bench' });
  if (withFiles) writeGeneratedVault(root, documents);
  const segments = await writeGeneratedLog(root, { count: events, documents, segmentBytes });
  const vault = await openVault({ root });
  await vault.events().next();
  const index = await openOurs(root, { init: false });
  await index.commit(rule());
  await index.close();
  await vault.close();
  return segments;
};

/** The same commits on a vault with a long log and on an empty one. */
export const commitFlat = ({ base, repetitions, callers, events, documents, size = 64 }) =>
  inFreshDirectory(base, async root => {
    for (const side of ['large', 'empty']) mkdirSync(join(root, side));
    await prepareLargeVault(join(root, 'large'), { documents, events });
    const ours = await openOurs(join(root, 'large'), { init: false });
    const other = await openOurs(join(root, 'empty'));
    const run = vault => async () => {
      const each = async () => {
        for (let i = 0; i < Math.ceil(size / callers); i++) await vault.commit(rule());
      };
      return (await timed(() => Promise.all(Array.from({ length: callers }, each)))) / (Math.ceil(size / callers) * callers);
    };
    try {
      return await paired({ repetitions, ours: run(ours), other: run(other) });
    } finally {
      await ours.close();
      await other.close();
    }
  });

/** Finding an event by its idempotency key, at random places of a long log; the other is a log of a hundred events. */
export const lookupKey = ({ base, repetitions, events, documents, lookups = 1000 }) =>
  inFreshDirectory(base, async root => {
    const open = async (side, count) => {
      const directory = join(root, side);
      mkdirSync(directory);
      // At least twelve segments, whatever the length of the log.
      const segments = await prepareLargeVault(directory, {
        documents: Math.min(documents, count),
        events: count,
        segmentBytes: Math.min(32 << 20, count * 60),
      });
      return { store: await openFsStore({ root: directory, workspaceId: 'ws-bench' }), count, segments };
    };
    const large = await open('large', events);
    const small = await open('small', 100);
    if (large.segments < 12) throw new Error(`the log has only ${large.segments} segments`);
    let next = 1;
    /** Microseconds per lookup. */
    const run =
      ({ store, count }) =>
      async () => {
        const elapsed = await timed(async () => {
          for (let i = 0; i < lookups; i++) {
            next = (Math.imul(next, 1_103_515_245) + 12_345) >>> 0;
            const found = await store.events.findByIdempotencyKey('ws-bench', keyAt(next % count));
            if (found === null) throw new Error('a key was not found');
          }
        });
        return (elapsed * 1000) / lookups;
      };
    try {
      return await paired({ repetitions, ours: run(large), other: run(small) });
    } finally {
      await large.store.close();
      await small.store.close();
    }
  });

/** The most memory that a process with 64 writers takes on a large vault, against an empty one; MiB. */
export const memoryPeak = ({ base, repetitions, events, documents }) =>
  inFreshDirectory(base, async root => {
    for (const side of ['large', 'empty']) mkdirSync(join(root, side));
    await prepareLargeVault(join(root, 'large'), { documents, events, withFiles: true });
    await initVault({ root: join(root, 'empty'), workspaceId: 'ws-bench' });
    const script = fileURLToPath(new URL('memory-process.mjs', import.meta.url));
    const run = side => () => Number(execFileSync(process.execPath, [script, join(root, side), '64', '20'], { encoding: 'utf8' }));
    return paired({ repetitions, ours: run('large'), other: run('empty') });
  });

/** Opening a large vault up to its first commit, against the same on an empty vault. */
export const openCold = ({ base, repetitions, events, documents }) =>
  inFreshDirectory(base, async root => {
    for (const side of ['large', 'empty']) mkdirSync(join(root, side));
    await prepareLargeVault(join(root, 'large'), { documents, events, withFiles: true });
    await initVault({ root: join(root, 'empty'), workspaceId: 'ws-bench' });
    const run = side => () =>
      timed(async () => {
        const vault = await openOurs(join(root, side), { init: false });
        await vault.commit(rule());
        await vault.close();
      });
    return paired({ repetitions, ours: run('large'), other: run('empty') });
  });
