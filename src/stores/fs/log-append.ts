import { join } from 'node:path';
import { type CanonicalEvent, DuplicateEventError, type FileSystem, UnknownAppendOutcomeError } from '#adapter-contracts';
import { VaultError } from '#errors';
import type { BufferedIndex, IndexAddition } from './buffered-index.ts';
import type { EventPlace, IndexPosition } from './event-index.ts';
import type { EventSegments } from './event-segments.ts';
import { indexedEvent, keyHash, lineDigest } from './indexed-event.ts';
import type { LogEnd, ReadSegment, Seen } from './log-catch-up.ts';
import { formatLine } from './log-lines.ts';
import type { Report } from './store-notice.ts';
import { makeInternalDirectory, syncUpwards, type VaultLayout, vaultRelative } from './vault-layout.ts';

/** What came of an append. */
interface Appended {
  /** Per event null, or why it was not appended. */
  readonly verdicts: readonly (Error | null)[];
  /** How far the log, and the index with it, reach now; null when the index did not take the events and has to catch up. */
  readonly seen: Seen | null;
}

/** Appends under the log lock, to a log that ends where it was seen to end. */
export interface LogAppender {
  /** One write and one sync for all events. Throws when nothing was appended, or nobody can tell. */
  append(index: BufferedIndex, seen: Seen, events: readonly CanonicalEvent[]): Promise<Appended>;
  /** Reads part of a segment; the one appended to last stays open. */
  readonly read: ReadSegment;
  close(): void;
}

interface AppenderOptions {
  readonly fs: FileSystem;
  readonly layout: VaultLayout;
  readonly segments: EventSegments;
  readonly segmentBytes: number;
  readonly report: Report;
}

interface Placed {
  readonly event: CanonicalEvent;
  readonly line: Buffer;
  readonly place: EventPlace;
}

// Below this many, waiting for another thread, under a lock that every process wants, costs more than working meanwhile saves.
const manyLines = 16;
// One index transaction for so many events.
const manyWaiting = 64;

export const createLogAppender = (options: AppenderOptions): LogAppender => {
  const { fs, segments } = options;
  let tail: { readonly segment: number; readonly ino: bigint; readonly fd: number } | null = null;
  const close = (): void => {
    if (tail !== null) fs.close(tail.fd);
    tail = null;
  };
  const open = (segment: number): number => {
    const ino = segments.stat(segment)?.ino;
    // A checkout or a restore puts another file in its place.
    if (tail !== null && tail.segment === segment && tail.ino === ino) return tail.fd;
    close();
    const fd = fs.open(segments.path(segment), 'read-write');
    tail = { segment, ino: segments.stat(segment)?.ino ?? 0n, fd };
    return fd;
  };
  return {
    async append(index, seen, events) {
      const verdicts = duplicates(index, events);
      const accepted = events.filter((_, at) => verdicts[at] === null);
      if (accepted.length === 0) return { verdicts, seen };
      const lines = accepted.map(formatLine);
      const end = setTornTailAside(options, seen);
      const start = startOfAppend(options, end, lines);
      const sealed = end.segment !== 0 && end.segment < start.segment ? { segment: end.segment, size: end.offset } : null;
      const addition = await writeLines(fs, index, open(start.segment), start, placeLines(start, accepted, lines));
      return { verdicts, seen: extend(index, { ...addition, sealed }) };
    },
    read(segment, offset, length) {
      if (tail !== null && tail.segment === segment && tail.ino === segments.stat(segment)?.ino) return fs.read(tail.fd, offset, length);
      return segments.stat(segment) === null ? new Uint8Array() : segments.reading(segment, fd => fs.read(fd, offset, length));
    },
    close,
  };
};

/** Refuses events whose id or key the log, or an earlier event of the same batch, already holds. */
const duplicates = (index: BufferedIndex, events: readonly CanonicalEvent[]): readonly (Error | null)[] => {
  const ids = new Set<string>();
  const keys = new Set<string>();
  return events.map(({ event_id: id, workspace_id: workspaceId, idempotency_key: key }) => {
    const hash = keyHash(workspaceId, key);
    const keyText = Buffer.from(hash).toString('hex');
    if (ids.has(id) || index.findById(id) !== null) return new DuplicateEventError('event_id', id);
    if (keys.has(keyText) || index.findByKey(hash) !== null) return new DuplicateEventError('idempotency_key', key);
    ids.add(id);
    keys.add(keyText);
    return null;
  });
};

/** Keeps half a line, left by a writer that died, out of the next one: copied durably first, then cut. */
const setTornTailAside = ({ fs, layout, segments, report }: AppenderOptions, { position: end, torn }: Seen): LogEnd => {
  if (torn === 0) return end;
  const fd = fs.open(segments.path(end.segment), 'read-write');
  try {
    const keptAt = join(layout.quarantine, `log-tail-${end.segment}-${end.offset}.bin`);
    keepBytes(fs, layout, keptAt, fs.read(fd, end.offset, torn));
    fs.truncate(fd, end.offset);
    fs.fdatasyncSync(fd);
    const file = segments.shown(end.segment);
    const message = `The event log ended in half a line (${file}, byte ${end.offset}, ${torn} bytes): no event was lost; the bytes are kept in '${vaultRelative(layout.root, keptAt)}'.`;
    report({ kind: 'torn_tail', message, file, offset: end.offset });
  } finally {
    fs.close(fd);
  }
  return end;
};

const keepBytes = (fs: FileSystem, layout: VaultLayout, path: string, bytes: Uint8Array): void => {
  makeInternalDirectory(fs, layout.root, layout.quarantine);
  const fd = fs.open(path, 'read-write-create');
  try {
    fs.truncate(fd, 0);
    fs.write(fd, 0, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.close(fd);
  }
  syncUpwards(fs, layout.root, layout.quarantine);
};

/** Where the lines go: behind the last line, or into a new segment when they would make this one too long. */
const startOfAppend = ({ segments, segmentBytes }: AppenderOptions, end: LogEnd, lines: readonly Buffer[]): LogEnd => {
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  if (end.segment !== 0 && end.offset > 0 && end.offset + bytes <= segmentBytes) return end;
  const isEmpty = end.segment !== 0 && end.offset === 0;
  const start = isEmpty ? end : { segment: end.segment + 1, offset: 0 };
  if (!isEmpty) segments.create(start.segment);
  segments.makeNamesDurable();
  return start;
};

const placeLines = (start: LogEnd, events: readonly CanonicalEvent[], lines: readonly Buffer[]): readonly Placed[] => {
  let offset = start.offset;
  return events.map((event, at) => {
    const line = lines[at]!;
    const place = { segment: start.segment, offset, length: line.length - 1 };
    offset += line.length;
    return { event, line, place };
  });
};

/** Makes the lines durable; the work that does not need that goes on while the disk is busy. */
const writeLines = async (
  fs: FileSystem,
  index: BufferedIndex,
  fd: number,
  start: LogEnd,
  placed: readonly Placed[],
): Promise<Omit<IndexAddition, 'sealed'>> => {
  let syncing: Promise<unknown> = Promise.resolve(null);
  try {
    fs.write(fd, start.offset, placed.length === 1 ? placed[0]!.line : Buffer.concat(placed.map(({ line }) => line)));
    if (placed.length < manyLines) fs.fdatasyncSync(fd);
    else
      syncing = fs.fdatasync(fd).then(
        () => null,
        error => error as unknown,
      );
  } catch (error) {
    throw takeBack(fs, fd, start.offset, error);
  }
  if (index.waiting >= manyWaiting) flushEarlier(index);
  const addition = { events: placed.map(({ event, place }) => indexedEvent(event, place)), position: endOf(placed.at(-1)!) };
  const failure = await syncing;
  if (failure !== null) throw takeBack(fs, fd, start.offset, failure);
  return addition;
};

const endOf = ({ place, line }: Placed): IndexPosition => ({
  segment: place.segment,
  offset: place.offset + line.length,
  last: { place, digest: lineDigest(line.subarray(0, -1)) },
});

/** The events of earlier appends, which are durable. They stay when the index cannot take them now. */
const flushEarlier = (index: BufferedIndex): void => {
  try {
    index.flush();
  } catch {
    // Whoever needs the index next hears of it.
  }
};

/** From here on the events are committed: an index that fails only has to catch up. */
const extend = (index: BufferedIndex, addition: IndexAddition): Seen | null => {
  try {
    index.extend(addition);
    return { position: addition.position, torn: 0 };
  } catch {
    return null;
  }
};

/** Removes what a failed append may have written, so that "failed" is true; says so when that cannot be known. */
const takeBack = (fs: FileSystem, fd: number, offset: number, cause: unknown): Error => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  try {
    fs.truncate(fd, offset);
    fs.fdatasyncSync(fd);
    return new VaultError('internal_error', {}, `The event log could not be written (${reason}); nothing was appended.`, { cause });
  } catch {
    return new UnknownAppendOutcomeError(`The event log could not be written (${reason}), and what it holds now is not known.`, { cause });
  }
};
