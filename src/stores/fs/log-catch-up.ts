import { setImmediate as turn } from 'node:timers/promises';
import type { FileSystem } from '#adapter-contracts';
import type { EventIndex, IndexPosition } from './event-index.ts';
import type { EventSegments } from './event-segments.ts';
import { indexedEvent, lineDigest } from './indexed-event.ts';
import { parseLine, readLines } from './log-lines.ts';
import type { Report } from './store-notice.ts';

const linesPerCommit = 5_000;

/** The end of the log: where its last whole line ends, and how many bytes without a newline follow. Segment 0 = there is no log yet. */
export interface LogEnd {
  readonly segment: number;
  readonly offset: number;
  readonly torn: number;
}

interface CatchUpTools {
  readonly fs: FileSystem;
  readonly segments: EventSegments;
  readonly report: Report;
  /** False for a store that may not write: then nothing is synced. */
  readonly writable: boolean;
}

/**
 * The end of the log when it stands exactly where the index stops, else null; costs two stats. `knownTorn` bytes after the last line were looked at
 * before, under the lock, and are nobody's unfinished write.
 */
export const endWhenLevel = (segments: EventSegments, { segment, offset }: IndexPosition, knownTorn: LogEnd | null): LogEnd | null => {
  if (segment === 0) return segments.numbers().length === 0 ? { segment, offset, torn: 0 } : null;
  const torn = knownTorn?.segment === segment && knownTorn.offset === offset ? knownTorn.torn : 0;
  const level = segments.stat(segment)?.size === offset + torn && segments.stat(segment + 1) === null;
  return level ? { segment, offset, torn } : null;
};

/** Whether the bytes the index was built from are still there: git checkouts and merges shorten, fork and repeat logs (rulings: Q80). */
export const stillExtends = (fs: FileSystem, segments: EventSegments, index: EventIndex, thorough: boolean): boolean => {
  const { segment, offset, last } = index.position();
  if (segment === 0) return true;
  if ((segments.stat(segment)?.size ?? -1) < offset) return false;
  if (last !== null) {
    const bytes = segments.reading(segment, fd => fs.read(fd, last.place.offset, last.place.length));
    if (lineDigest(bytes) !== last.digest) return false;
  }
  if (!thorough) return true;
  return [...index.sealedSegments()].every(([sealed, size]) => segments.stat(sealed)?.size === size);
};

/**
 * Brings the index level with the log and returns the log's end. The caller holds the log lock. Lines found here were written by someone who may
 * have died before syncing them, so they are made durable before the index, and with it a decision, rests on them (§6.3).
 */
export const catchUp = async (tools: CatchUpTools, index: EventIndex, thorough: boolean): Promise<LogEnd> => {
  if (!stillExtends(tools.fs, tools.segments, index, thorough)) {
    tools.report({
      kind: 'index_rebuilt',
      message:
        'The event log no longer continues where the index stopped (a checkout, merge or restore changed it); the index was rebuilt.',
    });
    inTransaction(index, () => index.clear());
  }
  const start = index.position();
  let end: LogEnd = { segment: start.segment, offset: start.offset, torn: 0 };
  for (const segment of tools.segments.numbers()) {
    if (segment < start.segment) continue;
    if (end.segment !== 0 && segment > end.segment) sealSegment(tools, index, end.segment, segment);
    end = await readSegment(tools, index, segment, segment === start.segment ? start.offset : 0);
  }
  return end;
};

const inTransaction = (index: EventIndex, work: () => void): void => {
  index.begin();
  try {
    work();
    index.commit();
  } catch (error) {
    index.rollback();
    throw error;
  }
};

const sealSegment = ({ segments }: CatchUpTools, index: EventIndex, sealed: number, next: number): void =>
  inTransaction(index, () => {
    index.seal(sealed, segments.stat(sealed)?.size ?? 0);
    index.moveTo({ segment: next, offset: 0, last: null });
  });

const readSegment = async (tools: CatchUpTools, index: EventIndex, segment: number, from: number): Promise<LogEnd> => {
  const { fs, segments, writable } = tools;
  const fd = fs.open(segments.path(segment), writable ? 'read-write' : 'read');
  try {
    const size = fs.size(fd);
    if (size > from && writable) fs.fdatasyncSync(fd);
    const lines = readLines(fs, fd, from, size);
    let offset = from;
    for (let more = true; more; ) {
      const next = indexSome(tools, index, segment, lines);
      if (next !== null) offset = next;
      more = next !== null;
      // A long rebuild must not stop everything else in the process.
      if (more) await turn();
    }
    return { segment, offset, torn: size - offset };
  } finally {
    fs.close(fd);
  }
};

/** Indexes the next lines in one transaction; the offset after them, or null when there were none. */
const indexSome = (
  tools: CatchUpTools,
  index: EventIndex,
  segment: number,
  lines: Iterator<{ offset: number; bytes: Uint8Array }>,
): number | null => {
  let next = lines.next();
  if (next.done === true) return null;
  let last = next.value;
  inTransaction(index, () => {
    for (let count = 0; next.done !== true; count += 1) {
      last = next.value;
      addLine(tools, index, segment, last);
      if (count + 1 === linesPerCommit) break;
      next = lines.next();
    }
    const place = { segment, offset: last.offset, length: last.bytes.length };
    index.moveTo({ segment, offset: last.offset + last.bytes.length + 1, last: { place, digest: lineDigest(last.bytes) } });
  });
  return last.offset + last.bytes.length + 1;
};

const addLine = (
  { segments, report }: CatchUpTools,
  index: EventIndex,
  segment: number,
  { offset, bytes }: { readonly offset: number; readonly bytes: Uint8Array },
): void => {
  const { event, damage } = parseLine(bytes);
  if (event === null) return;
  const skipped = damage?.length ?? 0;
  const place = { segment, offset: offset + skipped, length: bytes.length - skipped };
  if (index.add(indexedEvent(event, place))) return;
  const file = segments.shown(segment);
  report({
    kind: 'duplicate_event',
    message: `Event '${event.event_id}' stands a second time in the log (${file}, byte ${place.offset}); the first one counts, nothing was removed.`,
    file,
    offset: place.offset,
  });
};
