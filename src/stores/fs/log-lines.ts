import { isUtf8 } from 'node:buffer';
import type { CanonicalEvent, FileSystem } from '#adapter-contracts';

/** A reader that stops soon has not read a megabyte in vain. */
const firstChunkBytes = 64 << 10;
const chunkBytes = 1 << 20;
const newline = 0x0a;

/** One newline-terminated line of a segment, without the newline. */
export interface LogLine {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The whole lines of an open file between two offsets. What follows the last newline is no line. */
export function* readLines(fs: FileSystem, fd: number, from: number, to: number): Generator<LogLine> {
  let carried: Buffer[] = [];
  let lineStart = from;
  let wanted = firstChunkBytes;
  for (let position = from; position < to; ) {
    const chunk = Buffer.from(fs.read(fd, position, Math.min(wanted, to - position)));
    if (chunk.length === 0) return;
    wanted = Math.min(wanted * 2, chunkBytes);
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end);
      const bytes = carried.length === 0 ? rest : Buffer.concat([...carried, rest]);
      carried = [];
      yield { offset: lineStart, bytes };
      start = end + 1;
      lineStart = position + start;
    }
    if (start < chunk.length) carried.push(chunk.subarray(start));
    position += chunk.length;
  }
}

/** What a line holds: an event, and the damaged bytes in it, when there are any. A blank line holds neither. */
export interface ParsedLine {
  readonly event: CanonicalEvent | null;
  /** Bytes before `event` (or the whole line) that are no event, and why. */
  readonly damage: { readonly length: number; readonly reason: string } | null;
}

/**
 * Reads one line defensively. A run of NUL bytes, as a power cut leaves it, hides neither the lines after it nor an event behind it on the same
 * line. Of the fields only those are insisted on that say what happened to which document under which key: other kernels may leave out the rest (§6.4).
 */
export const parseLine = (bytes: Uint8Array): ParsedLine => {
  const start = bytes.findIndex(byte => byte !== 0);
  if (start === -1) return bytes.length === 0 ? { event: null, damage: null } : broken(bytes.length, 'NUL bytes');
  const text = bytes.subarray(start);
  if (!isUtf8(text)) return broken(bytes.length, 'not valid UTF-8');
  const parsed = parseEvent(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8'));
  if (typeof parsed === 'string') return parsed === '' ? { event: null, damage: null } : broken(bytes.length, parsed);
  return { event: parsed, damage: start === 0 ? null : { length: start, reason: 'NUL bytes' } };
};

const broken = (length: number, reason: string): ParsedLine => ({ event: null, damage: { length, reason } });

/** The event, or the reason why it is none; '' for a blank line. */
const parseEvent = (text: string): CanonicalEvent | string => {
  if (text.trim() === '') return '';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  return isEvent(value) ? value : 'not an event record';
};

const texts = ['event_id', 'event_type', 'timestamp', 'workspace_id', 'action', 'subject', 'idempotency_key'] as const;

const isEvent = (value: unknown): value is CanonicalEvent => {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Readonly<Record<string, unknown>>;
  return record.event_id !== '' && typeof record.principal === 'object' && texts.every(field => typeof record[field] === 'string');
};

/** The line of an event, newline included. JSON escapes every line break inside it. */
export const formatLine = (event: CanonicalEvent): Buffer => Buffer.from(`${JSON.stringify(event)}\n`, 'utf8');
