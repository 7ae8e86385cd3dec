import { setImmediate as turn } from 'node:timers/promises';
import type { FileSystem } from '#adapter-contracts';
import type { EventIndex, IndexPosition, IndexTransaction } from './event-index.ts';
import type { EventSegments } from './event-segments.ts';
import { indexedEvent, lineDigest } from './indexed-event.ts';
import { repeatedMessage } from './log-findings.ts';
import { type LogLine, parseLine, readLines } from './log-lines.ts';
import type { Report } from './store-notice.ts';

const linesPerCommit = 5_000;

/** Where a line ends and the next one starts; segment 0 = there is no log yet. */
export interface LogEnd {
  readonly segment: number;
  readonly offset: number;
}

interface CatchUpTools {
  readonly fs: FileSystem;
  readonly segments: EventSegments;
  readonly report: Report;
  /** False for a store that may not write: then nothing is synced. */
  readonly writable: boolean;
}

/** How far the index reaches, and what was found behind that. */
export interface Seen {
  readonly position: IndexPosition;
  readonly torn: number;
}

/** Whether the log still ends where it was `seen` to end; costs two stats and asks nobody. */
export const endsWhereSeen = (segments: EventSegments, { position: { segment, offset }, torn }: Seen): boolean =>
  segment === 0 ? segments.numbers().length === 0 : segments.stat(segment)?.size === offset + torn && segments.stat(segment + 1) === null;

/** Reads part of a segment. */
export type ReadSegment = (segment: number, offset: number, length: number) => Uint8Array;

/** Whether the line the index read last is still there: git checkouts and merges shorten, fork and repeat logs (readings: damaged logs). */
export const lastLineStands = ({ segment, last }: IndexPosition, read: ReadSegment): boolean =>
  last === null || lineDigest(read(segment, last.place.offset, last.place.length)) === last.digest;

/** As `lastLineStands`, for an index just opened: its segment reaches as far, and the sealed ones have the sizes they had. */
export const stillExtends = (segments: EventSegments, index: EventIndex, read: ReadSegment): boolean => {
  const position = index.position();
  if (position.segment === 0) return true;
  if ((segments.stat(position.segment)?.size ?? -1) < position.offset || !lastLineStands(position, read)) return false;
  return [...index.sealedSegments()].every(([sealed, size]) => segments.stat(sealed)?.size === size);
};

/**
 * Brings an index that the log still extends level with it. The caller holds the log lock. Lines found here were written by someone who may have died
 * before syncing them, so they are made durable before the index, and with it a decision, rests on them (§6.3).
 */
export const catchUp = async (tools: CatchUpTools, index: EventIndex): Promise<Seen> => {
  for (;;) {
    try {
      return await readOn(tools, index);
    } catch (error) {
      // It moved forward, so this comes to an end.
      if (!(error instanceof IndexMovedError)) throw error;
    }
  }
};

const readOn = async (tools: CatchUpTools, index: EventIndex): Promise<Seen> => {
  const { segment: first, offset } = index.position();
  let at: LogEnd = { segment: first, offset };
  let torn = 0;
  for (const segment of tools.segments.numbers()) {
    if (segment < first) continue;
    if (at.segment !== 0 && segment > at.segment) at = sealSegment(tools, index, at, segment);
    ({ at, torn } = await readSegment(tools, index, segment, at));
  }
  return { position: index.position(), torn };
};

/** Another process has handed the index lines that waited in its memory, since this one looked where to start. */
class IndexMovedError extends Error {}

const inTransaction = (index: EventIndex, from: LogEnd, work: (transaction: IndexTransaction) => void): void => {
  const transaction = index.begin();
  try {
    const at = transaction.position();
    if (at.segment !== from.segment || at.offset !== from.offset) throw new IndexMovedError('the index moved');
    work(transaction);
    transaction.commit();
  } catch (error) {
    transaction.rollback();
    throw error;
  }
};

/** Notes the size of a segment that is left for the next one. */
const sealSegment = ({ segments }: CatchUpTools, index: EventIndex, from: LogEnd, next: number): LogEnd => {
  const to = { segment: next, offset: 0 };
  inTransaction(index, from, transaction => {
    transaction.seal(from.segment, segments.stat(from.segment)?.size ?? 0);
    transaction.moveTo({ ...to, last: null });
  });
  return to;
};

interface ReadSoFar {
  readonly at: LogEnd;
  /** Bytes without a newline that follow. */
  readonly torn: number;
}

/** Indexes the whole lines of a segment that lie behind where the index stands. */
const readSegment = async (tools: CatchUpTools, index: EventIndex, segment: number, start: LogEnd): Promise<ReadSoFar> => {
  const from = start.segment === segment ? start.offset : 0;
  let at = start;
  const { fs, segments, writable } = tools;
  const fd = fs.open(segments.path(segment), writable ? 'read-write' : 'read');
  try {
    const size = fs.size(fd);
    if (size > from && writable) fs.fdatasyncSync(fd);
    const lines = readLines(fs, fd, from, size);
    for (let next = indexSome(tools, index, segment, at, lines); next !== null; next = indexSome(tools, index, segment, at, lines)) {
      at = next;
      // A long rebuild must not stop everything else in the process; a short one must not keep the lock for a turn longer.
      if (at.offset < size) await turn();
    }
    // Nothing was indexed, and the position still stands in an earlier segment, or before the log.
    if (at.segment !== segment) {
      inTransaction(index, at, transaction => transaction.moveTo({ segment, offset: 0, last: null }));
      at = { segment, offset: 0 };
    }
    return { at, torn: size - at.offset };
  } finally {
    fs.close(fd);
  }
};

/** Indexes the next lines in one transaction; where they end, or null when there were none. */
const indexSome = (tools: CatchUpTools, index: EventIndex, segment: number, from: LogEnd, lines: Iterator<LogLine>): LogEnd | null => {
  let next = lines.next();
  if (next.done === true) return null;
  let last = next.value;
  inTransaction(index, from, transaction => {
    for (let count = 1; next.done !== true; count += 1) {
      last = next.value;
      addLine(tools, transaction, segment, last);
      if (count === linesPerCommit) break;
      next = lines.next();
    }
    const place = { segment, offset: last.offset, length: last.bytes.length };
    transaction.moveTo({ segment, offset: last.offset + last.bytes.length + 1, last: { place, digest: lineDigest(last.bytes) } });
  });
  return { segment, offset: last.offset + last.bytes.length + 1 };
};

const addLine = ({ segments, report }: CatchUpTools, transaction: IndexTransaction, segment: number, { offset, bytes }: LogLine): void => {
  const { event, damage } = parseLine(bytes);
  if (damage !== null) {
    transaction.note({ kind: 'unreadable', place: { segment, offset, length: damage.length }, detail: damage.reason });
  }
  if (event === null) return;
  const skipped = damage?.length ?? 0;
  const place = { segment, offset: offset + skipped, length: bytes.length - skipped };
  if (transaction.add(indexedEvent(event, place))) return;
  transaction.note({ kind: 'repeated', place, detail: event.event_id });
  const file = segments.shown(segment);
  report({ kind: 'duplicate_event', message: repeatedMessage(event.event_id, file, place.offset), file, offset: place.offset });
};
