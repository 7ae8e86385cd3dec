import { expect, test } from 'vitest';
import type { FileSystem } from '#adapter-contracts';
import { createFaultyFileSystem, type FaultPlan } from './faulty-file-system.ts';
import { createMemoryFileSystem } from './memory-file-system.ts';

/** Makes every mutating call once, in a fixed order, and reads in between. */
const scenario = async (fs: FileSystem): Promise<void> => {
  fs.makeDirectory('/d');
  const fd = fs.open('/d/f', 'create-exclusive');
  fs.write(fd, 0, new Uint8Array([1, 2, 3, 4]));
  fs.truncate(fd, 4);
  fs.chmod(fd, 0o600);
  fs.fsyncSync(fd);
  fs.fdatasyncSync(fd);
  await fs.fsync(fd);
  await fs.fdatasync(fd);
  fs.size(fd);
  fs.read(fd, 0, 4);
  fs.close(fd);
  fs.close(fs.open('/d/f', 'read'));
  fs.rename('/d/f', '/d/g');
  fs.syncDirectorySync('/d');
  await fs.syncDirectory('/');
  fs.readFile('/d/g');
  fs.readDirectory('/d');
  fs.stat('/d/g');
  fs.unlink('/d/g');
  fs.removeDirectory('/d');
};
const mutatingCalls = [
  'makeDirectory',
  'open',
  'write',
  'truncate',
  'chmod',
  'fsyncSync',
  'fdatasyncSync',
  'fsync',
  'fdatasync',
  'rename',
  'syncDirectorySync',
  'syncDirectory',
  'unlink',
  'removeDirectory',
];

const faulty = (plan?: FaultPlan) => createFaultyFileSystem(createMemoryFileSystem().fileSystem, plan);

test('without a fault every mutating call is counted in order, and no read is', async () => {
  const { fileSystem, calls, failed } = faulty();
  await scenario(fileSystem);
  expect(calls()).toEqual(mutatingCalls.map((name, index) => ({ number: index + 1, name })));
  expect(failed()).toBe(false);
});

test('every mutating call can be the one that fails, with the code that was asked for', async () => {
  for (const [index, name] of mutatingCalls.entries()) {
    const { fileSystem, calls, failed } = faulty({ failAt: index + 1, code: 'ENOSPC' });
    await expect(scenario(fileSystem), name).rejects.toMatchObject({ code: 'ENOSPC', syscall: name });
    expect(calls()).toHaveLength(index + 1);
    expect(failed()).toBe(true);
  }
});

test('the failing call changes nothing, and the next works again', () => {
  const { fileSystem: fs } = faulty({ failAt: 1 });
  expect(() => fs.makeDirectory('/d')).toThrow('EIO');
  expect(fs.stat('/d')).toBeNull();
  fs.makeDirectory('/d');
  expect(fs.stat('/d')?.kind).toBe('directory');
});

test('a failing write can have reached the file in part', () => {
  const { fileSystem: fs } = faulty({ failAt: 2, tornShare: 0.5, code: 'ENOSPC' });
  const fd = fs.open('/f', 'read-write-create');
  expect(() => fs.write(fd, 0, new Uint8Array([1, 2, 3, 4]))).toThrow('ENOSPC');
  expect(fs.readFile('/f')).toEqual(new Uint8Array([1, 2]));
});

test('a full disk stays full for writers and readable for readers', () => {
  const { fileSystem: fs } = faulty({ failAt: 2, code: 'ENOSPC', afterwards: 'stay' });
  fs.makeDirectory('/d');
  expect(() => fs.makeDirectory('/e')).toThrow('ENOSPC');
  expect(() => fs.makeDirectory('/f')).toThrow('ENOSPC');
  expect(fs.readDirectory('/').map(({ name }) => name)).toEqual(['d']);
});

test('a dead process does nothing any more', async () => {
  const { fileSystem: fs } = faulty({ failAt: 2, afterwards: 'dead' });
  fs.makeDirectory('/d');
  await expect(fs.syncDirectory('/')).rejects.toThrow('EIO');
  expect(() => fs.stat('/d')).toThrow('EIO');
  expect(() => fs.readDirectory('/')).toThrow('EIO');
  expect(() => fs.open('/d/f', 'read')).toThrow('EIO');
  expect(() => fs.unlink('/d')).toThrow('EIO');
  await expect(fs.fsync(3)).rejects.toThrow('EIO');
});

test('a plan can count only some calls', async () => {
  const { fileSystem, calls } = faulty({ failAt: 3, counts: ({ name }) => name.toLowerCase().includes('sync') });
  await expect(scenario(fileSystem)).rejects.toMatchObject({ syscall: 'fsync' });
  expect(calls().map(({ name }) => name)).toEqual(['fsyncSync', 'fdatasyncSync', 'fsync']);
});
