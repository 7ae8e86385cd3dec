import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileSystem, OpenMode } from '#adapter-contracts';
import { createMemoryFileSystem, type PowerCut } from './memory-file-system.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const strict: PowerCut = { seed: 1, keep: () => 0 };
const lenient: PowerCut = { seed: 1, keep: () => 1 };

const write = (fs: FileSystem, path: string, text: string, mode: OpenMode = 'read-write-create', sync = false) => {
  const fd = fs.open(path, mode);
  fs.write(fd, 0, bytes(text));
  if (sync) fs.fsyncSync(fd);
  fs.close(fd);
};
const textAt = (fs: FileSystem, path: string) => (fs.stat(path) === null ? null : new TextDecoder().decode(fs.readFile(path)));
const codeOf = (call: () => unknown): unknown => {
  try {
    call();
    return 'no error';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

test('files and directories behave as on a disk', () => {
  const { fileSystem: fs } = createMemoryFileSystem();
  fs.makeDirectory('/d', 0o700);
  write(fs, '/d/a', 'hello');
  expect(fs.stat('/d')).toMatchObject({ kind: 'directory', mode: 0o700 });
  expect(fs.stat('/d/a')).toMatchObject({ kind: 'file', size: 5, mode: 0o644 });
  expect(fs.stat('/d/none')).toBeNull();
  expect(fs.stat('/d/a/below-a-file')).toBeNull();
  expect(fs.readDirectory('/d')).toEqual([{ name: 'a', kind: 'file' }]);
  fs.rename('/d/a', '/d/b');
  expect([textAt(fs, '/d/a'), textAt(fs, '/d/b')]).toEqual([null, 'hello']);
  write(fs, '/d/c', 'other');
  fs.rename('/d/b', '/d/c');
  expect([textAt(fs, '/d/b'), textAt(fs, '/d/c')]).toEqual([null, 'hello']);
  fs.unlink('/d/c');
  fs.removeDirectory('/d');
  expect(fs.readDirectory('/')).toEqual([]);
});

test('reads, writes and truncates go to the place they name', () => {
  const { fileSystem: fs } = createMemoryFileSystem();
  const fd = fs.open('/f', 'create-exclusive', 0o600);
  fs.write(fd, 3, bytes('xyz'));
  expect(fs.read(fd, 0, 100)).toEqual(new Uint8Array([0, 0, 0, 120, 121, 122]));
  expect(fs.read(fd, 4, 1)).toEqual(bytes('y'));
  expect(fs.read(fd, 50, 1)).toEqual(new Uint8Array());
  fs.truncate(fd, 4);
  fs.truncate(fd, 5);
  expect(fs.readFile('/f')).toEqual(new Uint8Array([0, 0, 0, 120, 0]));
  expect(fs.size(fd)).toBe(5);
  fs.chmod(fd, 0o640);
  expect(fs.stat('/f')?.mode).toBe(0o640);
  const log = fs.open('/f', 'append-create');
  fs.write(log, 0, bytes('!'));
  expect(fs.size(fd)).toBe(6);
  const before = fs.stat('/f')?.mtimeNs ?? 0n;
  fs.write(fd, 0, bytes('!'));
  expect(fs.stat('/f')?.mtimeNs).toBeGreaterThan(before);
});

test('what a disk refuses is refused with the same code', () => {
  const { fileSystem: fs } = createMemoryFileSystem();
  fs.makeDirectory('/d');
  write(fs, '/d/f', 'x');
  const reader = fs.open('/d/f', 'read');
  const refusals: Readonly<Record<string, readonly (() => unknown)[]>> = {
    ENOENT: [
      () => fs.readFile('/none'),
      () => fs.open('/none', 'read-write'),
      () => fs.makeDirectory('/none/d'),
      () => fs.rename('/none', '/d/x'),
    ],
    EEXIST: [() => fs.makeDirectory('/d'), () => fs.open('/d/f', 'create-exclusive')],
    EISDIR: [() => fs.open('/d', 'read'), () => fs.readFile('/d'), () => fs.unlink('/d'), () => fs.rename('/d/f', '/d')],
    ENOTDIR: [
      () => fs.makeDirectory('/d/f/x'),
      () => fs.readDirectory('/d/f'),
      () => fs.removeDirectory('/d/f'),
      () => fs.rename('/d', '/d/f'),
    ],
    ENOTEMPTY: [() => fs.removeDirectory('/d')],
    EINVAL: [() => fs.rename('/d', '/d/inside')],
    EPERM: [() => fs.removeDirectory('/')],
    EBADF: [() => fs.write(reader, 0, bytes('x')), () => fs.truncate(reader, 0), () => fs.size(999), () => fs.close(999)],
  };
  for (const [code, calls] of Object.entries(refusals)) for (const call of calls) expect(codeOf(call), String(call)).toBe(code);
  expect(textAt(fs, '/d/f')).toBe('x');
});

test('an unlinked file lives on in its open descriptor', () => {
  const { fileSystem: fs } = createMemoryFileSystem();
  write(fs, '/f', 'x');
  const fd = fs.open('/f', 'read-write');
  fs.unlink('/f');
  write(fs, '/f', 'another');
  expect(fs.read(fd, 0, 10)).toEqual(bytes('x'));
});

test('without a sync nothing has to survive a power cut; with both syncs all does', () => {
  const disk = createMemoryFileSystem();
  const fs = disk.fileSystem;
  write(fs, '/unsynced', 'x');
  write(fs, '/content-only', 'x', 'read-write-create', true);
  fs.makeDirectory('/d');
  fs.syncDirectorySync('/');
  write(fs, '/d/name-only', 'x');
  fs.syncDirectorySync('/d');
  write(fs, '/d/both', 'x', 'read-write-create', true);
  fs.syncDirectorySync('/d');
  write(fs, '/late', 'x', 'read-write-create', true);
  disk.powerCut(strict);
  // The root was synced after '/unsynced' and '/content-only' were named, and before '/late' was.
  expect(textAt(fs, '/content-only')).toBe('x');
  expect(textAt(fs, '/unsynced')).toBe('');
  expect(textAt(fs, '/d/name-only')).toBe('');
  expect(textAt(fs, '/d/both')).toBe('x');
  expect(textAt(fs, '/late')).toBeNull();
});

test('a power cut may also keep everything, and closes every file', () => {
  const disk = createMemoryFileSystem();
  const fs = disk.fileSystem;
  fs.makeDirectory('/d');
  const fd = fs.open('/d/f', 'read-write-create');
  fs.write(fd, 0, bytes('kept'));
  disk.powerCut(lenient);
  expect(textAt(fs, '/d/f')).toBe('kept');
  expect(codeOf(() => fs.size(fd))).toBe('EBADF');
  expect(disk.fileOf(fd)).toBeNull();
});

test('an un-synced write can be torn, and a later one can survive an earlier one', () => {
  const shares = [0.5, 0, 1];
  const disk = createMemoryFileSystem();
  const fs = disk.fileSystem;
  const fd = fs.open('/f', 'read-write-create');
  fs.fsyncSync(fd);
  fs.syncDirectorySync('/');
  fs.write(fd, 0, bytes('abcdef'));
  fs.write(fd, 6, bytes('lost'));
  fs.write(fd, 10, bytes('end'));
  disk.powerCut({ seed: 1, keep: () => shares.shift() ?? 0 });
  expect(textAt(fs, '/f')).toBe('abc\0\0\0\0\0\0\0end');
});

test('an atomic replacement leaves the old text or the new one', () => {
  fc.assert(
    fc.property(fc.nat(), seed => {
      const disk = createMemoryFileSystem();
      const fs = disk.fileSystem;
      fs.makeDirectory('/tmp');
      write(fs, '/doc', 'old', 'read-write-create', true);
      fs.syncDirectorySync('/');
      write(fs, '/tmp/new', 'new text', 'create-exclusive', true);
      fs.rename('/tmp/new', '/doc');
      disk.powerCut({ seed });
      expect(['old', 'new text']).toContain(textAt(fs, '/doc'));
    }),
  );
});

test('a rename between directories is kept or lost as one', () => {
  const outcomes = new Set<string>();
  for (let seed = 0; seed < 60; seed += 1) {
    const disk = createMemoryFileSystem();
    const fs = disk.fileSystem;
    fs.makeDirectory('/a');
    fs.makeDirectory('/b');
    write(fs, '/a/f', 'x', 'read-write-create', true);
    for (const path of ['/', '/a', '/b']) fs.syncDirectorySync(path);
    fs.rename('/a/f', '/b/f');
    disk.powerCut({ seed });
    outcomes.add(`${textAt(fs, '/a/f')} ${textAt(fs, '/b/f')}`);
  }
  expect([...outcomes].sort()).toEqual(['null x', 'x null']);
});

test('a replacement whose content was not synced shows as torn under some seed', () => {
  const seen = new Set<string | null>();
  for (let seed = 0; seed < 60; seed += 1) {
    const disk = createMemoryFileSystem();
    write(disk.fileSystem, '/new', 'new text');
    disk.fileSystem.rename('/new', '/doc');
    disk.fileSystem.syncDirectorySync('/');
    disk.powerCut({ seed });
    seen.add(textAt(disk.fileSystem, '/doc'));
  }
  expect(seen).toContain('');
  expect(seen).toContain('new text');
  expect([...seen].some(text => text !== null && text !== '' && text !== 'new text')).toBe(true);
});

test('the same seed leaves the same disk', () => {
  const after = (seed: number) => {
    const disk = createMemoryFileSystem();
    const fs = disk.fileSystem;
    for (let index = 0; index < 30; index += 1) write(fs, `/${index}`, `text ${index}`);
    disk.powerCut({ seed });
    return fs.readDirectory('/').map(({ name }) => `${name}=${textAt(fs, `/${name}`)}`);
  };
  expect(after(7)).toEqual(after(7));
  expect(after(7)).not.toEqual(after(8));
});

test('what survived one power cut survives the next', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (first, second) => {
      const disk = createMemoryFileSystem();
      const fs = disk.fileSystem;
      fs.makeDirectory('/d');
      for (let index = 0; index < 8; index += 1) write(fs, `/d/${index}`, `text ${index}`);
      fs.rename('/d/1', '/moved');
      const look = () => [
        fs.stat('/d') === null ? null : fs.readDirectory('/d').map(({ name }) => [name, textAt(fs, `/d/${name}`)]),
        textAt(fs, '/moved'),
      ];
      disk.powerCut({ seed: first });
      const left = look();
      disk.powerCut({ seed: second, keep: () => 0 });
      expect(look()).toEqual(left);
    }),
  );
});

test('the asynchronous syncs make durable like the others', async () => {
  const disk = createMemoryFileSystem();
  const fs = disk.fileSystem;
  const fd = fs.open('/f', 'read-write-create');
  fs.write(fd, 0, bytes('one'));
  await fs.fsync(fd);
  fs.write(fd, 3, bytes(' two'));
  await fs.fdatasync(fd);
  await fs.syncDirectory('/');
  fs.write(fd, 7, bytes(' three'));
  disk.powerCut(strict);
  expect(textAt(fs, '/f')).toBe('one two');
});

test('a scattered write survives sector by sector, and what is missing reads as zeros or as before', () => {
  const sector = 512;
  const seen = new Set<string>();
  for (let seed = 1; seed <= 40; seed += 1) {
    const disk = createMemoryFileSystem();
    const { fileSystem: fs } = disk;
    write(fs, '/f', 'o'.repeat(sector), 'create-exclusive', true);
    fs.syncDirectorySync('/');
    write(fs, '/f', 'n'.repeat(2 * sector + 10));
    disk.powerCut({ seed, keep: () => 'scattered' });
    const text = textAt(fs, '/f') ?? '';
    const sectors = [text.slice(0, sector), text.slice(sector, 2 * sector), text.slice(2 * sector)];
    for (const one of sectors) expect(new Set(one).size).toBeLessThanOrEqual(1);
    seen.add(sectors.map(one => one.slice(0, 1)).join(''));
  }
  expect([...seen].sort()).toEqual(['n', 'n\0n', 'nn', 'nnn', 'o', 'o\0n', 'on', 'onn']);
});

test('a disk after a power cut is another disk: the first goes on undisturbed, and several cuts can be compared', () => {
  const disk = createMemoryFileSystem();
  const { fileSystem: fs } = disk;
  write(fs, '/kept', 'kept', 'create-exclusive', true);
  fs.syncDirectorySync('/');
  const fd = fs.open('/lost', 'create-exclusive');
  const nothing = disk.afterPowerCut(strict).fileSystem;
  const everything = disk.afterPowerCut(lenient).fileSystem;
  fs.write(fd, 0, bytes('on'));
  expect([textAt(nothing, '/kept'), textAt(nothing, '/lost')]).toEqual(['kept', null]);
  expect([textAt(everything, '/kept'), textAt(everything, '/lost')]).toEqual(['kept', '']);
  write(nothing, '/kept', 'changed');
  expect([textAt(fs, '/kept'), textAt(fs, '/lost')]).toEqual(['kept', 'on']);
});

test('a file filled with zeros reads, grows and shrinks like any other', () => {
  const { fileSystem: fs } = createMemoryFileSystem();
  const fd = fs.open('/f', 'create-exclusive');
  fs.write(fd, 0, new Uint8Array(100_000));
  fs.write(fd, 50_000, bytes('x'));
  fs.write(fd, 2, bytes('ab'));
  fs.write(fd, 3, new Uint8Array(20_000));
  expect(fs.size(fd)).toBe(100_000);
  const expected = new Uint8Array(100_000);
  expected[2] = 97;
  expected[50_000] = 120;
  expect(Buffer.from(fs.readFile('/f')).equals(expected)).toBe(true);
  expect(fs.read(fd, 49_999, 3)).toEqual(new Uint8Array([0, 120, 0]));
  fs.truncate(fd, 50_000);
  fs.truncate(fd, 50_002);
  expect(fs.read(fd, 49_999, 9)).toEqual(new Uint8Array(3));
});
