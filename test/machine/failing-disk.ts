import type { FileSystem } from '#adapter-contracts';

export interface Failure {
  /** The calls, counted from 1, that fail: from the first up to but not including the last. */
  readonly from: number;
  readonly until?: number;
  readonly code: string;
  /** Which calls count and may fail: those that only look, or those that need room. */
  readonly calls: ReadonlySet<string>;
}

/** What only looks. `open` counts by its mode. */
export const lookingCalls: ReadonlySet<string> = new Set<keyof FileSystem>(['stat', 'readFile', 'readDirectory', 'open', 'size', 'read']);

/** What a full disk refuses. Syncs, renames and truncations it usually grants; here it does not. */
export const changingCalls: ReadonlySet<string> = new Set<keyof FileSystem>([
  'open',
  'write',
  'makeDirectory',
  'rename',
  'fsyncSync',
  'fdatasyncSync',
  'fsync',
  'fdatasync',
  'syncDirectorySync',
  'syncDirectory',
]);

export interface FailingDisk {
  readonly fileSystem: FileSystem;
  /** Calls that counted so far. */
  readonly calls: () => number;
  /** Ends the failure, and the counting. */
  readonly mend: () => void;
}

/** Wraps a disk so that it fails for a while. */
export const failingDisk = (inner: FileSystem, { from, until = from + 1, code, calls }: Failure): FailingDisk => {
  let count = 0;
  let mended = false;
  const fileSystem = new Proxy(inner, {
    get(target, name: keyof FileSystem) {
      const call = target[name] as (...args: unknown[]) => unknown;
      if (!calls.has(name)) return call;
      return (...args: unknown[]): unknown => {
        if (name === 'open' && (args[1] === 'read') !== (calls === lookingCalls)) return call(...args);
        if (mended) return call(...args);
        count += 1;
        if (count < from || count >= until) return call(...args);
        const error = Object.assign(new Error(`${code}: ${name}`), { code });
        if (name === 'fsync' || name === 'fdatasync' || name === 'syncDirectory') return Promise.reject(error);
        throw error;
      };
    },
  });
  return {
    fileSystem,
    calls: () => count,
    mend() {
      mended = true;
    },
  };
};
