import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileSystem } from '#adapter-contracts';
import { nodePlatform, openFsStore } from '#stores/fs';
import { del, op, openHarness, patch, rule } from '../kernel-model/kernel-harness.ts';
import { codeOf, patience, temporaryPlace } from './hostile-vault.ts';

/** The disk, which tells after each of its calls. */
const telling = (told: () => void): FileSystem =>
  new Proxy(nodePlatform.fs, {
    get(fs, name) {
      const call = Reflect.get(fs, name) as (...given: unknown[]) => unknown;
      return (...given: unknown[]): unknown => {
        const result = call.apply(fs, given);
        told();
        return result;
      };
    },
  });

/** What an attacker's document outside the vault is, and must remain. */
const bait = rule('outside\n');

/** Sends a request during whose n-th call to the disk `dir` becomes a link out of the vault; null when it made fewer calls. */
const swappingAt = async (n: number, request: object): Promise<string | null> => {
  const { base, root, end } = temporaryPlace();
  const outside = join(base, 'outside');
  for (const directory of [root, outside]) mkdirSync(directory);
  mkdirSync(join(outside, 'there'));
  writeFileSync(join(outside, 'a.md'), bait);
  let calls = Number.NEGATIVE_INFINITY;
  const fs = telling(() => {
    calls += 1;
    if (calls !== n) return;
    renameSync(join(root, 'dir'), join(base, 'aside'));
    symlinkSync(outside, join(root, 'dir'));
  });
  try {
    const store = await openFsStore({ root, workspaceId: 'ws-a', platform: { ...nodePlatform, fs } });
    const { accept, send } = openHarness({ store });
    await accept(op('dir/a.md', rule('x\n')));
    await accept(op('dir/there/a.md', rule('x\n')));
    calls = 0;
    const code = codeOf(await send(request));
    await store.close();
    const swapped = calls >= n;
    expect([readdirSync(outside), readdirSync(join(outside, 'there'))]).toEqual([['a.md', 'there'], []]);
    expect(readFileSync(join(outside, 'a.md'), 'utf8')).toBe(bait);
    return swapped ? code : null;
  } finally {
    end();
  }
};

const requests: readonly (readonly [what: string, request: () => object])[] = [
  ['replaced', () => op('dir/a.md', rule('new\n'))],
  ['patched', () => patch('dir/a.md', { x_a: 1 })],
  ['deleted', () => del('dir/a.md')],
  ['created', () => op('dir/new.md', rule('new\n'))],
  ['created in a folder that stands outside too', () => op('dir/there/new.md', rule('new\n'))],
  ['created below a new folder', () => op('dir/sub/deep/new.md', rule('new\n'))],
];

// Only Linux has names for open directories; elsewhere the last look and the change are two calls, and a link may come between.
test.skipIf(process.platform !== 'linux').each(requests)(
  'a document is %s inside the vault or not at all, whenever its directory becomes a link',
  patience,
  async (_, request) => {
    const codes: string[] = [];
    for (let n = 1; ; n += 1) {
      const code = await swappingAt(n, request());
      if (code === null) break;
      codes.push(code);
    }
    expect(codes.length).toBeGreaterThan(10);
    expect(codes).toContain('invalid_request');
  },
);
