import { expect, test } from 'vitest';
import { isSystemMessage, withoutHostPaths } from './without-host-paths.ts';

test.each([
  ["EACCES: permission denied, open '/home/ada/vault/a.md'", "EACCES: permission denied, open '…'"],
  ["EACCES: permission denied, open '/home/ada/My Documents/vault/a.md'", "EACCES: permission denied, open '…'"],
  ["EACCES: permission denied, open '/home/o'brien/a.md'", "EACCES: permission denied, open '…'"],
  ["EXDEV: rename '/home/ada/a.md' -> '/mnt/b.md'", "EXDEV: rename '…' -> '…'"],
  ['ENOSPC: cannot write /home/ada/a.md now', 'ENOSPC: cannot write … now'],
  ['EPERM: open "C:\\Users\\ada\\a b.md"', 'EPERM: open "…"'],
  ['EPERM: open C:\\Users\\ada\\a.md', 'EPERM: open …'],
])('no place on this machine is left of %s', (text, expected) => {
  expect(isSystemMessage(text)).toBe(true);
  expect(withoutHostPaths(text)).toBe(expected);
});

test.each(["No document at 'rules/a.md'.", 'and/or 1/2', "EIO: read '<vault>/rules/a.md'"])('what names no such place stays: %s', text =>
  expect(withoutHostPaths(text)).toBe(text),
);

test('a long text of half-open quotes is read in little time, whatever stands in it', () => {
  expect(withoutHostPaths(`EIO ${"'/a ".repeat(20_000)}`)).not.toContain('/a');
});
