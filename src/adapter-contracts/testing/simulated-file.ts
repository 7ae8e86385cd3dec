import type { Random } from './seeded-random.ts';

/** A change of a file that no sync has made durable yet. */
type PendingChange =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

/** A file as a disk with a volatile cache holds it: what programs see, what would be there after a power cut, and what lies between. */
export interface SimulatedFile {
  readonly kind: 'file';
  readonly ino: bigint;
  mode: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  content: Uint8Array;
  durable: Uint8Array;
  pending: PendingChange[];
}

export const createSimulatedFile = (ino: bigint, mode: number, now: bigint): SimulatedFile => ({
  kind: 'file',
  ino,
  mode,
  mtimeNs: now,
  ctimeNs: now,
  content: new Uint8Array(),
  durable: new Uint8Array(),
  pending: [],
});

const written = (content: Uint8Array, position: number, bytes: Uint8Array): Uint8Array => {
  const next = new Uint8Array(Math.max(content.length, position + bytes.length));
  next.set(content);
  next.set(bytes, position);
  return next;
};

const truncated = (content: Uint8Array, length: number): Uint8Array => {
  const next = new Uint8Array(length);
  next.set(content.subarray(0, length));
  return next;
};

export const writeSimulatedFile = (file: SimulatedFile, position: number, bytes: Uint8Array): void => {
  file.content = written(file.content, position, bytes);
  file.pending.push({ kind: 'write', position, bytes: bytes.slice() });
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
 * What the file holds after a power cut: its content as of the last sync, with every later change kept, torn or lost as `keep` decides (1 = whole,
 * 0 = lost, between = that share of its bytes). Later changes may survive earlier ones; the gap then reads as zeros.
 */
export const cutSimulatedFile = (file: SimulatedFile, keep: (random: Random) => number, random: Random): void => {
  let content = file.durable;
  for (const change of file.pending) {
    const share = keep(random);
    if (change.kind === 'truncate') content = share >= 0.5 ? truncated(content, change.length) : content;
    else {
      const kept = change.bytes.subarray(0, Math.round(change.bytes.length * share));
      if (kept.length > 0) content = written(content, change.position, kept);
    }
  }
  file.content = content;
  syncSimulatedFile(file);
};
