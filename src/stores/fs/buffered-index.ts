import type { LastRecorded } from '#adapter-contracts';
import { monotonicNow } from './backoff.ts';
import { type EventIndex, type EventPlace, type IndexedEvent, type IndexPosition, pathPrefixes } from './event-index.ts';

/** What one append added to the log: its events are durable there, and follow what the index knows. */
export interface IndexAddition {
  readonly events: readonly IndexedEvent[];
  /** A segment that was left for the next one, and its final size. */
  readonly sealed: { readonly segment: number; readonly size: number } | null;
  /** Where the log ends now. */
  readonly position: IndexPosition;
}

/**
 * An index whose newest entries wait in memory for company: one transaction for many appends. What waits is already durable in the log, so losing it
 * costs the next opener a few lines of reading; other processes read those lines from the log themselves.
 */
export interface BufferedIndex extends EventIndex {
  extend(addition: IndexAddition): void;
  /** How many events wait. */
  readonly waiting: number;
  /** Hands what waits to the index; needs no lock, and takes nothing back that others have added meanwhile. */
  flush(): void;
  /** Somebody else appends too: for a while nothing waits, because each of them would have to read it from the log. */
  share(): void;
  /** Closes it without handing over what waits: the log does not hold it any more. */
  discard(): void;
}

const sharedForMs = 2_000;
// Far more than ever waits while the disk is well; a disk that takes no index entries must not fill the memory.
const mostWaiting = 20_000;
const mostSpellings = 2_000;

interface Waiting {
  additions: IndexAddition[];
  count: number;
  end: IndexPosition;
  readonly ids: Map<string, EventPlace>;
  readonly keys: Map<string, EventPlace>;
  readonly documents: Map<string, LastRecorded>;
  readonly spellings: Map<string, Set<string>>;
}

export const createBufferedIndex = (inner: EventIndex): BufferedIndex => {
  let waiting: Waiting | null = null;
  // Every commit that creates asks for the same few directories, and for its own path three times.
  const spellings = new Map<string, readonly string[]>();
  let sharedUntil = Number.NEGATIVE_INFINITY;

  const share = (): void => {
    sharedUntil = monotonicNow() + sharedForMs;
  };
  const flush = (): void => {
    if (waiting === null) return;
    const { additions, end } = waiting;
    const transaction = inner.begin();
    try {
      const at = transaction.position();
      // Another process has read our lines from the log, all of them or the first few: it may do so again.
      if (isBefore(additions[0]!.events[0]!.place, at)) share();
      if (isBefore(at, end)) {
        for (const addition of additions) {
          for (const event of addition.events) if (!isBefore(event.place, at)) transaction.add(event);
          if (addition.sealed !== null && addition.sealed.segment >= at.segment)
            transaction.seal(addition.sealed.segment, addition.sealed.size);
        }
        transaction.moveTo(end);
      }
      transaction.commit();
    } catch (error) {
      transaction.rollback();
      throw error;
    }
    waiting = null;
  };
  const settled = (): EventIndex => {
    flush();
    return inner;
  };

  return {
    get waiting() {
      return waiting?.count ?? 0;
    },
    extend(addition) {
      if ((waiting?.count ?? 0) > mostWaiting) flush();
      waiting ??= {
        additions: [],
        count: 0,
        end: addition.position,
        ids: new Map(),
        keys: new Map(),
        documents: new Map(),
        spellings: new Map(),
      };
      for (const folded of keep(waiting, addition)) spellings.delete(folded);
      if (monotonicNow() < sharedUntil) flush();
    },
    flush,
    share,
    position() {
      // Asked for when the log may have grown without this store.
      spellings.clear();
      const stored = inner.position();
      if (waiting === null) return stored;
      if (isBefore(stored, waiting.end)) return waiting.end;
      waiting = null;
      share();
      return stored;
    },
    findById: id => waiting?.ids.get(id) ?? inner.findById(id),
    findByKey: hash => waiting?.keys.get(keyText(hash)) ?? inner.findByKey(hash),
    lastRecorded: (workspace, path) => waiting?.documents.get(documentKey(workspace, path)) ?? inner.lastRecorded(workspace, path),
    spellings(folded) {
      const known = spellings.get(folded);
      if (known !== undefined) return known;
      const stored = inner.spellings(folded);
      const more = waiting?.spellings.get(folded);
      const all = more === undefined ? stored : [...new Set([...stored, ...more])].sort();
      if (spellings.size >= mostSpellings) spellings.clear();
      spellings.set(folded, all);
      return all;
    },
    recordedAfter: (workspace, after, limit) => settled().recordedAfter(workspace, after, limit),
    recordedBelow: (directory, after, limit) => settled().recordedBelow(directory, after, limit),
    sealedSegments: () => settled().sealedSegments(),
    findings: () => inner.findings(),
    *eventIds() {
      yield* waiting?.ids.keys() ?? [];
      yield* inner.eventIds();
    },
    begin() {
      spellings.clear();
      return settled().begin();
    },
    discard() {
      waiting = null;
      inner.close();
    },
    close() {
      try {
        flush();
      } catch {
        // Whoever opens the log next reads the rest from it.
      }
      waiting = null;
      inner.close();
    },
  };
};

/** Returns the folded names that have a spelling more than before. */
const keep = (waiting: Waiting, addition: IndexAddition): readonly string[] => {
  const gained: string[] = [];
  waiting.additions.push(addition);
  waiting.count += addition.events.length;
  waiting.end = addition.position;
  for (const { eventId, keyHash, place, recorded } of addition.events) {
    if (!waiting.ids.has(eventId)) waiting.ids.set(eventId, place);
    if (!waiting.keys.has(keyText(keyHash))) waiting.keys.set(keyText(keyHash), place);
    if (recorded === null) continue;
    const { workspaceId, path, ...state } = recorded;
    waiting.documents.set(documentKey(workspaceId, path), state);
    for (const { folded, actual } of pathPrefixes(path)) {
      const spellings = waiting.spellings.get(folded);
      if (spellings?.has(actual) === true) continue;
      if (spellings === undefined) waiting.spellings.set(folded, new Set([actual]));
      else spellings.add(actual);
      gained.push(folded);
    }
  }
  return gained;
};

const keyText = (hash: Uint8Array): string => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1');

const documentKey = (workspace: string, path: string): string => `${workspace}\0${path}`;

const isBefore = (a: Pick<EventPlace, 'segment' | 'offset'>, b: Pick<EventPlace, 'segment' | 'offset'>): boolean =>
  a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
