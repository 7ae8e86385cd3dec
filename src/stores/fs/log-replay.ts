import type { FileSystem, Replayed, ReplayOptions } from '#adapter-contracts';
import { VaultError } from '#errors';
import type { IndexPosition } from './event-index.ts';
import type { EventSegments } from './event-segments.ts';
import { parseLine, readLines } from './log-lines.ts';

interface Place {
  readonly segment: number;
  readonly offset: number;
}

/** The place between two lines, as an opaque text. */
export const formatCursor = ({ segment, offset }: Place): string => Buffer.from(`${segment}:${offset}`).toString('base64url');

/** Events in append order, from the cursor to `end`; reads without a lock. */
export function* replayLog(
  fs: FileSystem,
  segments: EventSegments,
  end: IndexPosition,
  { cursor, workspaceId }: ReplayOptions,
): Generator<Replayed> {
  const start: Place = cursor === undefined ? { segment: 0, offset: 0 } : parseCursor(fs, segments, cursor);
  for (const segment of segments.numbers()) {
    if (segment < start.segment || segment > end.segment) continue;
    const from = segment === start.segment ? start.offset : 0;
    const to = segment === end.segment ? end.offset : Number.POSITIVE_INFINITY;
    yield* replaySegment(fs, segments, { segment, offset: from }, to, workspaceId);
  }
}

function* replaySegment(
  fs: FileSystem,
  segments: EventSegments,
  from: Place,
  to: number,
  workspaceId: string | undefined,
): Generator<Replayed> {
  const fd = fs.open(segments.path(from.segment), 'read');
  try {
    for (const { offset, bytes } of readLines(fs, fd, from.offset, Math.min(to, fs.size(fd)))) {
      const { event } = parseLine(bytes);
      if (event === null || (workspaceId !== undefined && event.workspace_id !== workspaceId)) continue;
      yield { event, cursor: formatCursor({ segment: from.segment, offset: offset + bytes.length + 1 }) };
    }
  } finally {
    fs.close(fd);
  }
}

/** A cursor is only as good as the log it came from: it must still name the end of a line, or the beginning of a segment. */
const parseCursor = (fs: FileSystem, segments: EventSegments, cursor: string): Place => {
  const match = /^([1-9]\d{0,7}):(0|[1-9]\d{0,14})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const place = { segment: Number(match?.[1] ?? 0), offset: Number(match?.[2] ?? 0) };
  const known = match !== null && formatCursor(place) === cursor && segments.stat(place.segment) !== null;
  const between = (): boolean => place.offset === 0 || segments.reading(place.segment, fd => fs.read(fd, place.offset - 1, 1))[0] === 0x0a;
  if (!known || !between()) {
    throw new VaultError(
      'invalid_request',
      { issues: [{ field: 'cursor', issue: 'unknown cursor; start again without one' }] },
      'Unknown cursor.',
    );
  }
  return place;
};
