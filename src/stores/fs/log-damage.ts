import { setImmediate as turn } from 'node:timers/promises';
import type { FileSystem, LogDamage } from '#adapter-contracts';
import type { EventIndex } from './event-index.ts';
import type { EventSegments } from './event-segments.ts';
import type { Seen } from './log-catch-up.ts';
import { damageOf } from './log-findings.ts';
import { type LogLine, parseLine, readLines } from './log-lines.ts';

const linesPerTurn = 5_000;

/** Everything in the log that is not a whole event, and every repeated event id, up to `end`; the index tells which place of an id is the first. */
export const findDamage = async (
  fs: FileSystem,
  segments: EventSegments,
  index: EventIndex,
  { position: end, torn }: Seen,
): Promise<readonly LogDamage[]> => {
  const found: LogDamage[] = segments
    .strangers()
    .map(name => ({ file: `.ssss/events/${name}`, offset: 0, length: 0, reason: 'not a segment of the log; it is not read' }));
  let expected = 1;
  for (const segment of segments.numbers()) {
    if (segment > end.segment) break;
    for (; expected < segment; expected += 1)
      found.push({ file: segments.shown(expected), offset: 0, length: 0, reason: 'segment is missing' });
    expected = segment + 1;
    const damage = await segmentDamage(fs, segments, index, segment, segment === end.segment ? end.offset + torn : null);
    for (const each of damage) found.push(each);
  }
  // The log cannot say what it does not hold.
  found.push(...damageOf(index, segments).filter(({ kind }) => kind === 'missing'));
  return found;
};

const segmentDamage = async (
  fs: FileSystem,
  segments: EventSegments,
  index: EventIndex,
  segment: number,
  limit: number | null,
): Promise<readonly LogDamage[]> => {
  const file = segments.shown(segment);
  const found: LogDamage[] = [];
  const fd = fs.open(segments.path(segment), 'read');
  try {
    const size = limit ?? fs.size(fd);
    let wholeEnd = 0;
    let count = 0;
    for (const line of readLines(fs, fd, 0, size)) {
      wholeEnd = line.offset + line.bytes.length + 1;
      found.push(...lineDamage(index, segment, file, line));
      count += 1;
      if (count % linesPerTurn === 0) await turn();
    }
    if (wholeEnd < size) found.push({ file, offset: wholeEnd, length: size - wholeEnd, reason: 'half a line at the end' });
  } finally {
    fs.close(fd);
  }
  return found;
};

const lineDamage = (index: EventIndex, segment: number, file: string, { offset, bytes }: LogLine): readonly LogDamage[] => {
  const { event, damage } = parseLine(bytes);
  const found = damage === null ? [] : [{ file, offset, ...damage }];
  if (event === null) return found;
  const start = offset + (damage?.length ?? 0);
  const first = index.findById(event.event_id);
  if (first === null || (first.segment === segment && first.offset === start)) return found;
  return [
    ...found,
    { file, offset: start, length: bytes.length - (start - offset), reason: `event '${event.event_id}' stands here a second time` },
  ];
};
