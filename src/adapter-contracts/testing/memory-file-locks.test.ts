import { expect, test } from 'vitest';
import { createMemoryFileLocks } from './memory-file-locks.ts';
import { createMemoryFileSystem } from './memory-file-system.ts';

const setUp = () => {
  const disk = createMemoryFileSystem();
  const locks = createMemoryFileLocks(disk);
  const open = (path = '/lock') => disk.fileSystem.open(path, 'read-write-create');
  return { disk, locks, open, one: locks.ownedBy('one'), other: locks.ownedBy('other') };
};

test('a byte is locked for one descriptor at a time', () => {
  const { one, other, open } = setUp();
  const [mine, theirs] = [open(), open()];
  expect(one.tryLock(mine, 5)).toBe(true);
  expect(other.tryLock(theirs, 5)).toBe(false);
  expect(other.tryLock(theirs, 6)).toBe(true);
  expect(other.tryLock(open('/another'), 5)).toBe(true);
  one.unlock(mine, 5);
  expect(other.tryLock(theirs, 5)).toBe(true);
});

test('the same descriptor takes its own lock again, another one of the same owner does not', () => {
  const { one, open } = setUp();
  const fd = open();
  expect(one.tryLock(fd, 0)).toBe(true);
  expect(one.tryLock(fd, 0)).toBe(true);
  expect(one.tryLock(open(), 0)).toBe(false);
});

test('only the holder’s descriptor unlocks', () => {
  const { one, other, open } = setUp();
  const [mine, theirs] = [open(), open()];
  one.tryLock(mine, 0);
  other.unlock(theirs, 0);
  expect(other.tryLock(theirs, 0)).toBe(false);
});

test('the locks of a dead owner, of a closed file and of a machine without power are free', () => {
  const { disk, locks, one, other, open } = setUp();
  const [mine, again, theirs] = [open(), open(), open()];
  one.tryLock(mine, 0);
  one.tryLock(again, 1);
  locks.release('one');
  expect(other.tryLock(theirs, 0)).toBe(true);
  expect(other.tryLock(theirs, 1)).toBe(true);
  disk.fileSystem.close(theirs);
  expect(one.tryLock(mine, 0)).toBe(true);
  disk.fileSystem.syncDirectorySync('/');
  disk.powerCut({ seed: 1 });
  expect(other.tryLock(open(), 0)).toBe(true);
  expect(() => one.tryLock(mine, 2)).toThrow('EBADF');
});
