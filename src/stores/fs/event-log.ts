import type { CanonicalEvent, LogDamage, Replayed, ReplayOptions } from '#adapter-contracts';
import { type EventIndex, EventIndexDamagedError, type EventPlace } from './event-index.ts';
import { eventSegments } from './event-segments.ts';
import type { FsPlatform } from './fs-platform.ts';
import { keyHash } from './indexed-event.ts';
import { createLogAppender } from './log-append.ts';
import { catchUp, endWhenLevel, type LogEnd, stillExtends } from './log-catch-up.ts';
import { findDamage } from './log-damage.ts';
import { parseLine } from './log-lines.ts';
import type { LogLock } from './log-lock.ts';
import { replayLog } from './log-replay.ts';
import type { Report } from './store-notice.ts';
import { makeInternalDirectory, type VaultLayout } from './vault-layout.ts';

/** The segments and their index as one thing (performance.md: event log). */
export interface EventLog {
  /** Per event null, or why it was not appended; throws when none was. */
  append(events: readonly CanonicalEvent[]): Promise<readonly (Error | null)[]>;
  findById(eventId: string): Promise<CanonicalEvent | null>;
  findByKey(workspaceId: string, key: string): Promise<CanonicalEvent | null>;
  replay(options: ReplayOptions): AsyncIterable<Replayed>;
  damage(): Promise<readonly LogDamage[]>;
  /** Runs `use` on an index that knows every event appended before the call. */
  withIndex<T>(use: (index: EventIndex) => T): Promise<T>;
  close(): void;
}

export interface EventLogOptions {
  readonly platform: FsPlatform;
  readonly layout: VaultLayout;
  readonly lock: LogLock;
  readonly segmentBytes: number;
  /** False: nothing is written, and the index lives in memory. */
  readonly writable: boolean;
  readonly report: Report;
}

interface Level {
  readonly index: EventIndex;
  readonly end: LogEnd;
}

export const createEventLog = ({ platform, layout, lock, segmentBytes, writable, report }: EventLogOptions): EventLog => {
  const { fs } = platform;
  const segments = eventSegments(fs, layout);
  const appender = createLogAppender({ fs, layout, segments, segmentBytes, report });
  let opened: EventIndex | null = null;
  let end: LogEnd | null = null;

  const openIndex = (fresh: boolean): EventIndex => {
    opened?.close();
    opened = null;
    if (writable) makeInternalDirectory(fs, layout.root, layout.derived);
    opened = platform.openIndex(writable ? layout.derived : null, { fresh });
    return opened;
  };
  const readLog = async (index: EventIndex, thorough: boolean): Promise<LogEnd> => {
    end = await catchUp({ fs, segments, report, writable }, index, thorough);
    return end;
  };
  /** Under the log lock: the index, level with the log; a damaged one is replaced. */
  const levelled = async (): Promise<Level> => {
    try {
      const known = opened === null ? null : endOf(opened);
      if (opened !== null && known !== null && stillExtends(fs, segments, opened, false)) return { index: opened, end: known };
      const first = opened === null;
      const index = opened ?? openIndex(false);
      return { index, end: await readLog(index, first) };
    } catch (error) {
      if (!(error instanceof EventIndexDamagedError)) throw error;
      return rebuilt('The event index was damaged and was rebuilt from the log.');
    }
  };
  const rebuilt = async (message: string): Promise<Level> => {
    report({ kind: 'index_rebuilt', message });
    const index = openIndex(true);
    return { index, end: await readLog(index, true) };
  };
  const endOf = (index: EventIndex): LogEnd | null => endWhenLevel(segments, index.position(), end);
  const level = async (): Promise<EventIndex> => {
    try {
      if (opened !== null && endOf(opened) !== null) return opened;
    } catch (error) {
      if (!(error instanceof EventIndexDamagedError)) throw error;
    }
    return lock.hold(async () => (await levelled()).index);
  };
  const replaceIndex = (message: string): Promise<EventIndex> => lock.hold(async () => (await rebuilt(message)).index);
  const withIndex = async <T>(use: (index: EventIndex) => T): Promise<T> => {
    const index = await level();
    try {
      return use(index);
    } catch (error) {
      if (!(error instanceof EventIndexDamagedError)) throw error;
      return use(await replaceIndex('The event index was damaged and was rebuilt from the log.'));
    }
  };
  const readEvent = ({ segment, offset, length }: EventPlace): CanonicalEvent | null =>
    segments.stat(segment) === null ? null : parseLine(segments.reading(segment, fd => fs.read(fd, offset, length))).event;
  /** The event at the place the index names, looked at before it is believed; an index that lies is rebuilt once. */
  const find = async (
    place: (index: EventIndex) => EventPlace | null,
    matches: (event: CanonicalEvent) => boolean,
  ): Promise<CanonicalEvent | null> => {
    const at = await withIndex(place);
    if (at === null) return null;
    const event = readEvent(at);
    if (event !== null && matches(event)) return event;
    await replaceIndex('The event index did not match the log and was rebuilt.');
    const corrected = await withIndex(place);
    const again = corrected === null ? null : readEvent(corrected);
    return again !== null && matches(again) ? again : null;
  };
  return {
    append: events =>
      lock.hold(async () => {
        const state = await levelled();
        try {
          return await appender.append(state.index, state.end, events);
        } catch (error) {
          // Raised only before anything is written.
          if (!(error instanceof EventIndexDamagedError)) throw error;
          const mended = await rebuilt('The event index was damaged and was rebuilt from the log.');
          return appender.append(mended.index, mended.end, events);
        }
      }),
    findById: id =>
      find(
        index => index.findById(id),
        event => event.event_id === id,
      ),
    findByKey(workspaceId, key) {
      const hash = keyHash(workspaceId, key);
      return find(
        index => index.findByKey(hash),
        event => event.workspace_id === workspaceId && event.idempotency_key === key,
      );
    },
    async *replay(options) {
      // Only what is durable by now: a consumer that appends while it reads must come to an end.
      yield* replayLog(fs, segments, await withIndex(index => index.position()), options);
    },
    damage: () => lock.hold(async () => levelled()).then(state => findDamage(fs, segments, state.index, state.end)),
    withIndex,
    close() {
      appender.close();
      opened?.close();
      opened = null;
    },
  };
};
