import type { Random } from './seeded-random.ts';
import { noBytes, type SparseBytes, sliceOf, sparseCopy, truncated, written } from './sparse-bytes.ts';

/** A change of a file that no sync has made durable yet. */
type PendingChange =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: SparseBytes }
  | { readonly kind: 'truncate'; readonly length: number };

/** A file as a disk with a volatile cache holds it: what programs see, what would be there after a power cut, and what lies between. */
export interface SimulatedFile {
  readonly kind: 'file';
  readonly ino: bigint;
  mode: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  readonly birthtimeNs: bigint;
  content: SparseBytes;
  durable: SparseBytes;
  pending: PendingChange[];
}

/**
 * What survives of one un-synced change: a share of it from 0 (lost) to 1 (whole), between them that share of the bytes from the front; or
 * `scattered`, each disk sector by itself.
 */
export type Survival = number | 'scattered';

const sectorBytes = 512;

export const createSimulatedFile = (ino: bigint, mode: number, now: bigint): SimulatedFile => ({
  kind: 'file',
  ino,
  mode,
  mtimeNs: now,
  ctimeNs: now,
  birthtimeNs: now,
  content: noBytes,
  durable: noBytes,
  pending: [],
});

export const writeSimulatedFile = (file: SimulatedFile, position: number, given: Uint8Array): void => {
  const bytes = sparseCopy(given);
  file.content = written(file.content, position, bytes);
  file.pending.push({ kind: 'write', position, bytes });
};

export const truncateSimulatedFile = (file: SimulatedFile, length: number): void => {
  file.content = truncated(file.content, length);
  file.pending.push({ kind: 'truncate', length });
};

export const syncSimulatedFile = (file: SimulatedFile): void => {
  file.durable = file.content;
  file.pending = [];
};

/**
 * The file as a power cut leaves it: its content as of the last sync, with every later change kept, torn or lost as `keep` decides. Later changes
 * may survive earlier ones; the gap then reads as zeros.
 */
export const simulatedFileAfterCut = (file: SimulatedFile, keep: (random: Random) => Survival, random: Random): SimulatedFile => {
  let content = file.durable;
  for (const change of file.pending) {
    const survival = keep(random);
    if (change.kind === 'write') content = survivingWrite(content, change.position, change.bytes, survival, random);
    else if (survival === 'scattered' ? random() < 0.5 : survival >= 0.5) content = truncated(content, change.length);
  }
  return { ...file, content, durable: content, pending: [] };
};

const survivingWrite = (content: SparseBytes, position: number, bytes: SparseBytes, survival: Survival, random: Random): SparseBytes => {
  if (survival !== 'scattered') {
    const length = Math.round(bytes.length * survival);
    if (length === 0) return content;
    return written(content, position, length === bytes.length ? bytes : { data: bytes.data.subarray(0, length), length });
  }
  let left = content;
  for (let from = 0; from < bytes.data.length; ) {
    const to = Math.min(bytes.data.length, from + sectorBytes - ((position + from) % sectorBytes));
    if (random() < 0.5) left = written(left, position + from, { data: sliceOf(bytes, from, to), length: to - from });
    from = to;
  }
  const zerosFrom = bytes.data.length;
  if (zerosFrom < bytes.length && random() < 0.5) {
    left = written(left, position + zerosFrom, { data: noBytes.data, length: bytes.length - zerosFrom });
  }
  return left;
};
