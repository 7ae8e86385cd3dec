import type { CanonicalEvent, LogDamage, Replayed, ReplayOptions } from '#adapter-contracts';
import { type BufferedIndex, createBufferedIndex } from './buffered-index.ts';
import { closedStore } from './closed-store.ts';
import { type EventIndex, EventIndexDamagedError, type EventPlace } from './event-index.ts';
import { eventSegments } from './event-segments.ts';
import type { FsPlatform } from './fs-platform.ts';
import { keyHash } from './indexed-event.ts';
import { createLogAppender } from './log-append.ts';
import { catchUp, endsWhereSeen, lastLineStands, type Seen, stillExtends } from './log-catch-up.ts';
import { findDamage } from './log-damage.ts';
import { damageOf, noteMissing } from './log-findings.ts';
import { parseLine } from './log-lines.ts';
import type { LogLock } from './log-lock.ts';
import { formatCursor, replayLog } from './log-replay.ts';
import type { Report } from './store-notice.ts';
import { checkInternalDirectory, makeInternalDirectory, type VaultLayout } from './vault-layout.ts';

/** The segments and their index as one thing (§8.1). */
export interface EventLog {
  /** Per event null, or why it was not appended; throws when none was. */
  append(events: readonly CanonicalEvent[]): Promise<readonly (Error | null)[]>;
  findById(eventId: string): Promise<CanonicalEvent | null>;
  findByKey(workspaceId: string, key: string): Promise<CanonicalEvent | null>;
  replay(options: ReplayOptions): AsyncIterable<Replayed>;
  /** As in `EventStore`. */
  end(): Promise<string | null>;
  cursorAfter(eventId: string): Promise<string | null>;
  watch(changed: () => void): (() => void) | null;
  damage(): Promise<readonly LogDamage[]>;
  knownDamage(): Promise<readonly LogDamage[]>;
  /** How many events wait for the index. */
  unindexed(): number;
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
  readonly index: BufferedIndex;
  readonly seen: Seen;
}

const exchangedLog =
  'The event log no longer continues where the index stopped (a checkout, merge or restore changed it); the index was rebuilt.';
const damagedIndex = 'The event index was damaged and was rebuilt from the log.';

export const createEventLog = ({ platform, layout, lock, segmentBytes, writable, report }: EventLogOptions): EventLog => {
  const { fs } = platform;
  const segments = eventSegments(fs, layout);
  const appender = createLogAppender({ fs, layout, segments, segmentBytes, report });
  let opened: BufferedIndex | null = null;
  let closed = false;
  let seen: Seen | null = null;

  const requireOpen = (): void => {
    if (closed) throw closedStore();
  };
  const adopt = (index: EventIndex | null): BufferedIndex | null => {
    opened?.close();
    opened = index === null ? null : createBufferedIndex(index);
    seen = null;
    return opened;
  };
  const create = (): BufferedIndex => {
    requireOpen();
    adopt(null);
    if (writable) makeInternalDirectory(fs, layout.root, layout.derived);
    opened = createBufferedIndex(platform.createIndex(writable ? layout.derived : null));
    return opened;
  };
  const find = (): BufferedIndex | null => {
    requireOpen();
    checkInternalDirectory(fs, layout.root, layout.derived);
    return adopt(writable ? platform.findIndex(layout.derived) : null);
  };
  const catchUpWith = async (index: BufferedIndex): Promise<Level> => {
    seen = await catchUp({ fs, segments, report, writable }, index);
    return { index, seen };
  };
  const rebuilt = (message: string): Promise<Level> => {
    report({ kind: 'index_rebuilt', message });
    return catchUpWith(create());
  };
  const isCurrent = (index: EventIndex): boolean => stillExtends(segments, index, appender.read);
  /** Without the lock when the index stands where the log ends: usually nothing changed, or another process has appended and indexed. */
  const levelUnlocked = (): BufferedIndex | null => {
    if (opened !== null && seen !== null && endsWhereSeen(segments, seen)) return opened;
    try {
      // Opening takes long enough to matter when many processes start at once.
      const index = opened ?? find();
      if (index === null || (seen === null && !isCurrent(index))) return null;
      const now = { position: index.position(), torn: 0 };
      if (!endsWhereSeen(segments, now)) return null;
      seen = now;
      return index;
    } catch (error) {
      if (error instanceof EventIndexDamagedError) return null;
      throw error;
    }
  };
  /** The log is not the one that the index was made from, or there is no index yet. What was known of the log before is compared with what it holds now. */
  const afterExchange = async (): Promise<Level> => {
    const before: BufferedIndex[] = [];
    const keepOpened = (): void => {
      if (opened !== null) before.push(opened);
      opened = null;
    };
    try {
      keepOpened();
      if (before.length > 0) report({ kind: 'index_rebuilt', message: exchangedLog });
      // Another process may have made or replaced the index already.
      const found = find();
      if (found !== null && isCurrent(found)) return await compared(before, await catchUpWith(found));
      keepOpened();
      return await compared(before, await (found === null ? catchUpWith(create()) : rebuilt(exchangedLog)));
    } finally {
      for (const index of before) index.discard();
    }
  };
  const compared = async (before: readonly EventIndex[], level: Level): Promise<Level> => {
    const message = await noteMissing(before, level.index);
    if (message !== null) report({ kind: 'events_missing', message, file: '.ssss/events' });
    return level;
  };
  /** Under the log lock: the index, level with the log; one that is damaged, or whose log was exchanged, is replaced by a fresh one. */
  const levelled = async (): Promise<Level> => {
    try {
      const level = levelUnlocked();
      if (level !== null && seen !== null && lastLineStands(seen.position, appender.read)) return { index: level, seen };
      if (opened !== null && isCurrent(opened)) {
        // Someone else appends to this log.
        opened.share();
        return await catchUpWith(opened);
      }
      return await afterExchange();
    } catch (error) {
      if (!(error instanceof EventIndexDamagedError)) throw error;
      return rebuilt(damagedIndex);
    }
  };
  const level = async (): Promise<EventIndex> => levelUnlocked() ?? lock.hold(async () => (await levelled()).index);
  const replaceIndex = (message: string): Promise<EventIndex> => lock.hold(async () => (await rebuilt(message)).index);
  const appendTo = async (state: Level, events: readonly CanonicalEvent[]): Promise<readonly (Error | null)[]> => {
    seen = null;
    const appended = await appender.append(state.index, state.seen, events);
    ({ seen } = appended);
    return appended.verdicts;
  };
  const withIndex = async <T>(use: (index: EventIndex) => T): Promise<T> => {
    const index = await level();
    try {
      return use(index);
    } catch (error) {
      if (!(error instanceof EventIndexDamagedError)) throw error;
      return use(await replaceIndex(damagedIndex));
    }
  };
  const readEvent = ({ segment, offset, length }: EventPlace): CanonicalEvent | null =>
    parseLine(appender.read(segment, offset, length)).event;
  /** The event at the place the index names, looked at before it is believed; an index that lies is rebuilt once. */
  const findEvent = async (
    place: (index: EventIndex) => EventPlace | null,
    matches: (event: CanonicalEvent) => boolean,
  ): Promise<{ readonly event: CanonicalEvent; readonly at: EventPlace } | null> => {
    const look = async () => {
      const at = await withIndex(place);
      const event = at === null ? null : readEvent(at);
      return { at, found: at !== null && event !== null && matches(event) ? { event, at } : null };
    };
    const { at, found } = await look();
    if (at === null || found !== null) return found;
    await replaceIndex('The event index did not match the log and was rebuilt.');
    return (await look()).found;
  };
  const findEventById = (id: string) =>
    findEvent(
      index => index.findById(id),
      event => event.event_id === id,
    );
  return {
    async append(events) {
      // Opens the index before the lock is taken.
      if (opened === null) levelUnlocked();
      return lock.hold(async () => {
        try {
          return await appendTo(await levelled(), events);
        } catch (error) {
          // Raised only before anything is written.
          if (!(error instanceof EventIndexDamagedError)) throw error;
          return appendTo(await rebuilt(damagedIndex), events);
        }
      });
    },
    findById: async id => (await findEventById(id))?.event ?? null,
    async findByKey(workspaceId, key) {
      const hash = keyHash(workspaceId, key);
      const found = await findEvent(
        index => index.findByKey(hash),
        event => event.workspace_id === workspaceId && event.idempotency_key === key,
      );
      return found?.event ?? null;
    },
    async *replay(options) {
      // Only what is durable by now: a consumer that appends while it reads must come to an end.
      yield* replayLog(fs, segments, await withIndex(index => index.position()), options);
    },
    async end() {
      const { segment, offset } = await withIndex(index => index.position());
      return segment === 0 ? null : formatCursor({ segment, offset });
    },
    async cursorAfter(eventId) {
      const found = await findEventById(eventId);
      if (found === null) return null;
      const { segment, offset, length } = found.at;
      return formatCursor({ segment, offset: offset + length + 1 });
    },
    watch: changed => platform.watch?.(layout.events, changed) ?? null,
    unindexed: () => opened?.waiting ?? 0,
    async knownDamage() {
      // An early segment may have been exchanged while the last one stayed as it was.
      if (opened !== null && !isCurrent(opened)) seen = null;
      return withIndex(index => damageOf(index, segments));
    },
    damage: () => lock.hold(async () => levelled()).then(state => findDamage(fs, segments, state.index, state.seen)),
    withIndex,
    close() {
      closed = true;
      appender.close();
      opened?.close();
      opened = null;
    },
  };
};
