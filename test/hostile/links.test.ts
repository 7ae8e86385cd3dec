import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openVault } from '#open-vault';
import { code, del, op, patch, patience, rule, type Vault, withDiskVault } from './hostile-vault.ts';

// Links and pipes are made as Linux and macOS make them.
const unix = describe.skipIf(process.platform === 'win32');

/** What lies outside the vault, and must stay as it is. */
const outsideOf = (base: string): { readonly directory: string; readonly file: string; readonly unchanged: () => void } => {
  const directory = join(base, 'outside');
  const file = join(directory, 'file.md');
  mkdirSync(directory);
  writeFileSync(file, rule('outside\n'));
  return {
    directory,
    file,
    unchanged() {
      expect(readdirSync(directory)).toEqual(['file.md']);
      expect(readFileSync(file, 'utf8')).toBe(rule('outside\n'));
    },
  };
};

const requestsFor = (path: string): readonly object[] => [
  op(path, rule('inside\n')),
  patch(path, { x_a: 1 }),
  patch(path, { __body__: 'x\n' }),
  del(path),
  op(path, rule('inside\n'), { dry_run: true }),
];

const refusesAll = async (vault: Vault, path: string): Promise<void> => {
  for (const request of requestsFor(path)) expect([request, await code(vault, request)]).toEqual([request, 'invalid_request']);
};

const listed = async (vault: Vault): Promise<readonly string[]> => {
  const paths: string[] = [];
  for await (const entry of vault.list()) paths.push(entry.path);
  return paths;
};

unix('links', () => {
  const links: readonly (readonly [what: string, at: string, to: (outside: string) => string, path: string])[] = [
    ['a link to a file', 'a.md', outside => join(outside, 'file.md'), 'a.md'],
    ['a link to nothing', 'a.md', outside => join(outside, 'new.md'), 'a.md'],
    ['a link to itself', 'a.md', () => 'a.md', 'a.md'],
    ['a link to a file of the vault', 'a.md', () => 'stored.md', 'a.md'],
    ['a link to a directory', 'dir', outside => outside, 'dir/file.md'],
    ['a link to a directory, for a new file', 'dir', outside => outside, 'dir/new.md'],
    ['a link to a directory, for a new directory', 'dir', outside => outside, 'dir/sub/new.md'],
    ['a link below a directory', 'dir/sub', outside => outside, 'dir/sub/file.md'],
    ['a link to the vault itself', 'dir', () => '.', 'dir/stored.md'],
  ];

  test.each(links)('%s is never followed, neither for writing nor for reading', async (_, at, to, path) => {
    await withDiskVault(async (vault, root, base) => {
      const outside = outsideOf(base);
      expect(await code(vault, op('stored.md', rule('stored\n')))).toBe('ok');
      mkdirSync(dirname(join(root, at)), { recursive: true });
      symlinkSync(to(outside.directory), join(root, at));
      await refusesAll(vault, path);
      await expect(vault.read(path)).rejects.toMatchObject({ code: 'invalid_request' });
      outside.unchanged();
      expect((await vault.read('stored.md'))?.text).toBe(rule('stored\n'));
      expect(lstatSync(join(root, at)).isSymbolicLink()).toBe(true);
    });
  });

  test.each(['events', 'derived', 'coordination'])('.ssss/%s as a link leads no byte out of the vault', async name => {
    await withDiskVault(async (vault, root, base) => {
      const outside = outsideOf(base);
      await vault.close();
      rmSync(join(root, '.ssss', name), { recursive: true, force: true });
      symlinkSync(outside.directory, join(root, '.ssss', name));
      await refusedInternally(root, base);
      outside.unchanged();
    });
  });

  test.each(['', 'locks', 'journal', 'tmp'])('.ssss-intents/%s as a link leads no byte out of the vault', async name => {
    await withDiskVault(async (vault, root, base) => {
      const outside = outsideOf(base);
      await vault.close();
      const place = join(root, '.ssss-intents', name).replace(/\/$/, '');
      rmSync(place, { recursive: true, force: true });
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(outside.directory, place);
      await refusedInternally(root, base);
      outside.unchanged();
    });
  });

  test('a second name of a document outside the vault is unaffected by what happens to the first', async () => {
    await withDiskVault(async (vault, root, base) => {
      const outside = outsideOf(base);
      for (const [index, request] of [
        op('0.md', rule('inside\n')),
        patch('1.md', { x_a: 1 }),
        patch('2.md', { __body__: 'y\n' }),
        del('3.md'),
      ].entries()) {
        linkSync(outside.file, join(root, `${index}.md`));
        expect(await code(vault, request)).toBe('ok');
        outside.unchanged();
      }
    });
  });
});

/** A vault that cannot keep its records reads or refuses, and says so; it stores nothing. */
const refusedInternally = async (root: string, base: string): Promise<void> => {
  const vault = await openVault({ root, stateDir: join(base, 'state') });
  expect(await code(vault, op('new.md', rule('x\n')))).toBe('internal_error');
  expect(await vault.read('new.md')).toBeNull();
  await vault.close();
};

unix('what is no file', () => {
  const made: readonly (readonly [what: string, make: (path: string) => Promise<() => void>])[] = [
    [
      'a directory',
      async path => {
        mkdirSync(path);
        return () => undefined;
      },
    ],
    [
      'a named pipe',
      async path => {
        execFileSync('mkfifo', [path]);
        return () => undefined;
      },
    ],
    [
      'a socket',
      async path => {
        const server = createServer().listen(path);
        await once(server, 'listening');
        return () => void server.close();
      },
    ],
    [
      'a link to a device',
      async path => {
        symlinkSync('/dev/zero', path);
        return () => undefined;
      },
    ],
  ];

  test.each(made)('%s under the name of a document is refused without being opened, and stays', async (_, make) => {
    await withDiskVault(async (vault, root) => {
      const remove = await make(join(root, 'a.md'));
      const { ino } = lstatSync(join(root, 'a.md'));
      await refusesAll(vault, 'a.md');
      expect(lstatSync(join(root, 'a.md')).ino).toBe(ino);
      expect(await code(vault, op('b.md', rule('x\n')))).toBe('ok');
      expect(await listed(vault)).toContain('b.md');
      remove();
    });
  });

  test.each(made)('%s in the place of a directory is no parent', async (what, make) => {
    if (what === 'a directory') return;
    await withDiskVault(async (vault, root) => {
      const remove = await make(join(root, 'dir'));
      await refusesAll(vault, 'dir/a.md');
      remove();
    });
  });
});

unix('races', () => {
  const writes = process.env.SHEAF_SOAK ? 5000 : 200;

  /** Sends requests while someone swaps the place for a link to `target` and back; the codes of the answers. */
  const racing = async (base: string, place: string, target: string, sendAll: (index: number) => Promise<readonly string[]>) => {
    const swapper = spawn(process.execPath, ['test/hostile/swap-loop.mjs', place, join(base, 'aside'), target]);
    const ended = once(swapper, 'close');
    const codes = new Set<string>();
    try {
      await once(swapper.stdout, 'data');
      for (let index = 0; index < writes; index += 1) for (const each of await sendAll(index)) codes.add(each);
    } finally {
      swapper.kill('SIGKILL');
      await ended;
    }
    return codes;
  };

  test('a document that turns into a link and back while it is written leads no byte out of the vault', patience, async () => {
    await withDiskVault(async (vault, root, base) => {
      const outside = outsideOf(base);
      expect(await code(vault, op('a.md', rule('x\n')))).toBe('ok');
      const codes = await racing(base, join(root, 'a.md'), outside.file, async index => [
        await code(vault, op('a.md', rule(`${index}\n`))),
        await code(vault, patch('a.md', { x_a: index })),
        await code(vault, del('a.md')),
      ]);
      // Someone else's edits are conflicts or links; all that is asked here is that nothing else happens.
      expect([...codes].filter(each => !['ok', 'invalid_request', 'version_conflict', 'not_found'].includes(each))).toEqual([]);
      outside.unchanged();
    });
  });

  // Only Linux has names for open directories, by which a directory that became a link is noticed in the last instant.
  test.skipIf(process.platform !== 'linux')('nor does a directory above it', patience, async () => {
    await withDiskVault(async (vault, root, base) => {
      const outside = outsideOf(base);
      mkdirSync(join(outside.directory, 'sub'));
      expect(await code(vault, op('dir/sub/a.md', rule('x\n')))).toBe('ok');
      const codes = await racing(base, join(root, 'dir'), outside.directory, async index => [
        await code(vault, op(`dir/sub/${index}.md`, rule(`${index}\n`))),
        await code(vault, op(`dir/new-${index}/a.md`, rule(`${index}\n`))),
        await code(vault, op('dir/sub/a.md', rule(`${index}\n`))),
        await code(vault, del('dir/sub/a.md')),
      ]);
      expect(codes).toContain('invalid_request');
      expect(readdirSync(join(outside.directory, 'sub'))).toEqual([]);
      rmdirSync(join(outside.directory, 'sub'));
      outside.unchanged();
    });
  });
});
