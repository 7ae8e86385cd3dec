import { join } from 'node:path';
import type { FileStat, FileSystem } from '#adapter-contracts';
import { checkInternalDirectory, makeInternalDirectory, syncUpwards, type VaultLayout, vaultRelative } from './vault-layout.ts';

const segmentName = /^(\d{8})\.jsonl$/;

/** The files of the log: `.ssss/events/00000001.jsonl`, `00000002.jsonl`, …; only the last one grows. */
export interface EventSegments {
  path(segment: number): string;
  /** Vault-relative, for messages. */
  shown(segment: number): string;
  /** Numbers present, ascending. */
  numbers(): readonly number[];
  /** Names in the directory that are no segments. */
  strangers(): readonly string[];
  /** null when absent; throws when it is not a regular file. */
  stat(segment: number): FileStat | null;
  /** Runs `use` with the segment open for reading. */
  reading<T>(segment: number, use: (fd: number) => T): T;
  /** Creates an empty segment. */
  create(segment: number): void;
  /** Call before the first line of a segment, whoever created it. */
  makeNamesDurable(): void;
}

export const eventSegments = (fs: FileSystem, layout: VaultLayout): EventSegments => {
  const paths: string[] = [];
  const path = (segment: number): string => {
    paths[segment] ??= join(layout.events, `${String(segment).padStart(8, '0')}.jsonl`);
    return paths[segment];
  };
  const shown = (segment: number): string => vaultRelative(layout.root, path(segment));
  const names = (): readonly string[] => {
    checkInternalDirectory(fs, layout.root, layout.events);
    return fs.stat(layout.events) === null ? [] : fs.readDirectory(layout.events).map(entry => entry.name);
  };
  return {
    path,
    shown,
    numbers: () =>
      names()
        .map(name => Number(segmentName.exec(name)?.[1] ?? 0))
        .filter(number => number > 0)
        .sort((a, b) => a - b),
    strangers: () =>
      names()
        .filter(name => !(Number(segmentName.exec(name)?.[1] ?? 0) > 0))
        .sort(),
    stat(segment) {
      const found = fs.stat(path(segment));
      if (found !== null && found.kind !== 'file')
        throw new Error(`'${shown(segment)}' is a ${found.kind}; the event log needs a regular file there.`);
      return found;
    },
    reading(segment, use) {
      const fd = fs.open(path(segment), 'read');
      try {
        return use(fd);
      } finally {
        fs.close(fd);
      }
    },
    create(segment) {
      makeInternalDirectory(fs, layout.root, layout.events);
      fs.close(fs.open(path(segment), 'create-exclusive'));
    },
    // A segment whose name is lost in a power cut would take its synced lines with it.
    makeNamesDurable: () => syncUpwards(fs, layout.root, layout.events),
  };
};
