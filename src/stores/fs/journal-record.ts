import { hash } from 'node:crypto';
import type { CommitIntent } from '#adapter-contracts';

/** One intent as a journal keeps it. */
export interface JournalEntry {
  readonly intent: CommitIntent;
  readonly slot: number;
  /** Vault-relative directories that did not exist before the commit, outermost first; a rollback removes them again. */
  readonly directories: readonly string[];
}

/** The fixed part of a record: enough to see, in one small read, whether it concerns a path. */
export interface RecordHeader {
  readonly bodyLength: number;
  readonly slots: readonly number[];
  /** Per entry: resolved by a recovery, while others of the record are not yet. */
  readonly done: readonly boolean[];
  readonly digest: Uint8Array;
  /** The bytes the digest covers before the body. */
  readonly covered: Uint8Array;
}

/*
 * Layout, little-endian: 0 magic (8) · 8 body length (4) · 12 entries (4) · 16 sha256 of bytes 8–16, 64–576 and the body (32) · 64 slots (2 each)
 * · 1024 done flags (1 each, outside the digest, in a sector of their own so that setting one cannot tear the rest) · 2048 body (JSON).
 */
const magic = Buffer.from('SHEAFJ01', 'latin1');
const digestAt = 16;
const slotsAt = 64;
const slotsEnd = 576;
const flagsAt = 1024;
export const headerBytes = 2048;
/** Entries a record can hold. */
export const recordCapacity = (slotsEnd - slotsAt) / 2;

/** What overwrites a header whose record is settled. */
export const clearedHeader: Uint8Array = new Uint8Array(slotsAt);

/** Where the flag of entry `at` stands in the file. */
export const flagOffset = (at: number): number => flagsAt + at;

export const encodeRecord = (entries: readonly JournalEntry[]): Uint8Array => {
  const body = Buffer.from(JSON.stringify(entries.map(encodeEntry)), 'utf8');
  const record = Buffer.alloc(headerBytes + body.length);
  magic.copy(record, 0);
  record.writeUInt32LE(body.length, 8);
  record.writeUInt32LE(entries.length, 12);
  for (const [at, { slot }] of entries.entries()) record.writeUInt16LE(slot, slotsAt + 2 * at);
  body.copy(record, headerBytes);
  digestOf(coveredBytes(record), body).copy(record, digestAt);
  return record;
};

const coveredBytes = (header: Buffer): Buffer => Buffer.concat([header.subarray(8, digestAt), header.subarray(slotsAt, slotsEnd)]);

const digestOf = (covered: Uint8Array, body: Uint8Array): Buffer => hash('sha256', Buffer.concat([covered, body]), 'buffer');

/** null = no record: never written, or cleared. */
export const decodeHeader = (bytes: Uint8Array): RecordHeader | null => {
  const header = Buffer.from(bytes);
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic)) return null;
  const count = Math.min(header.readUInt32LE(12), recordCapacity);
  const numbers = Array.from({ length: count }, (_, at) => at);
  return {
    bodyLength: header.readUInt32LE(8),
    slots: numbers.map(at => header.readUInt16LE(slotsAt + 2 * at)),
    done: numbers.map(at => header[flagOffset(at)] !== 0),
    digest: header.subarray(digestAt, digestAt + 32),
    covered: coveredBytes(header),
  };
};

/** null = torn: the record never became durable as a whole, so its stage 9 never began. */
export const decodeBody = (header: RecordHeader, body: Uint8Array): readonly JournalEntry[] | null => {
  if (body.length !== header.bodyLength || !digestOf(header.covered, body).equals(header.digest)) return null;
  const entries = JSON.parse(Buffer.from(body).toString('utf8')) as readonly EncodedEntry[];
  return entries.map(decodeEntry);
};

interface EncodedEntry {
  readonly intent: Omit<CommitIntent, 'prior'> & { readonly prior: string | null };
  readonly slot: number;
  readonly directories: readonly string[];
}

/** As JSON with the prior content in base64; also the form in which a single intent is kept or set aside. */
export const encodeEntry = ({ intent, slot, directories }: JournalEntry): EncodedEntry => ({
  intent: { ...intent, prior: intent.prior === null ? null : Buffer.from(intent.prior).toString('base64') },
  slot,
  directories,
});

export const decodeEntry = ({ intent, slot, directories }: EncodedEntry): JournalEntry => ({
  intent: { ...intent, prior: intent.prior === null ? null : Buffer.from(intent.prior, 'base64') },
  slot,
  directories,
});
