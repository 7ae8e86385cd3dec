import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashContent } from '#document';
import { recover, replayed } from './commit-fixture.ts';
import { openFsStore } from './open-fs-store.ts';

// The long run is what it is about; here a few processes must do.
const processes = process.env.SHEAF_SOAK ? 100 : 9;
const rounds = process.env.SHEAF_SOAK ? 50 : 20;

/** Commits on a path of its own and on one that all share, and says on stdout what was acknowledged. */
const writer = `
import { writeSync } from 'node:fs';
const dist = new URL(process.argv[1]);
const [root, name, rounds] = process.argv.slice(2);
const { openFsStore } = await import(new URL('stores/fs/index.js', dist));
const { committing } = await import(new URL('stores/fs/commit-fixture.js', dist));
const { sampleEvent } = await import(new URL('adapter-contracts/testing/index.js', dist));
const commit = committing(sampleEvent);
const store = await openFsStore({ root, workspaceId: 'ws-acme' });
const attempt = async (path, text) => {
  const event = await commit(store, path, text).catch(error => {
    if (error.code !== 'version_conflict') throw error;
    return null;
  });
  if (event !== null) writeSync(1, event.event_id + '\\n');
};
for (let round = 0; round < Number(rounds); round += 1) {
  await Promise.all([
    attempt('shared.md', name + ' ' + round),
    attempt('own/' + name + '.md', 'round ' + round),
    attempt('own/' + name + '-b.md', 'round ' + round),
  ]);
}
await store.close();
`;

test('many processes on one vault, a third of them killed, lose nothing that was acknowledged', async () => {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-fs-'));
  const { NODE_OPTIONS: _, ...env } = process.env;
  const dist = new URL('../../../dist/', import.meta.url).href;
  const run = async (index: number): Promise<string> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', writer, dist, root, `w${index}`, String(rounds)], { env });
    let out = '';
    let errors = '';
    const doomed = index % 3 === 0;
    child.stdout.on('data', data => {
      out += String(data);
      if (doomed && out.length > 37 * (index + 5)) child.kill('SIGKILL');
    });
    child.stderr.on('data', data => {
      errors += String(data);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (!doomed || code !== null) expect(code, errors).toBe(0);
    return out;
  };
  try {
    const ended = await Promise.allSettled(Array.from({ length: processes }, (_, index) => run(index)));
    const outputs = ended.map(result => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    const acknowledged = outputs.flatMap(out => out.split('\n').slice(0, -1));
    expect(acknowledged.length).toBeGreaterThan(processes * rounds);
    const store = await openFsStore({ root, workspaceId: 'ws-acme' });
    for (const { outcome } of await recover(store)) expect(['committed', 'rolled_back', 'discarded']).toContain(outcome);
    const events = await replayed(store);
    const counts = new Map<string, number>();
    for (const { event_id } of events) counts.set(event_id, (counts.get(event_id) ?? 0) + 1);
    for (const id of acknowledged) expect(counts.get(id)).toBe(1);
    expect([...counts.values()].every(count => count === 1)).toBe(true);
    const lastHash = new Map<string, string | null>();
    for (const { subject, before_hash, after_hash } of events) {
      expect(before_hash).toBe(lastHash.get(subject) ?? null);
      lastHash.set(subject, after_hash);
    }
    for (const [path, hash] of lastHash) expect(hashContent((await store.vfs.read(path))?.bytes ?? '')).toBe(hash);
    expect(await store.events.damage()).toEqual([]);
    await store.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}, 600_000);
