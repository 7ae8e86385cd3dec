import type { EventStore, Replayed } from '#adapter-contracts';
import { eventFilter } from './event-filter.ts';
import { weightOf } from './event-window.ts';
import { createLogTail, type Follower } from './log-tail.ts';
import { createTurnstile, type Visitor } from './turnstile.ts';
import type { FollowOptions } from './vault.ts';

/** The log as it grows (§8), read once for everybody who follows it. */
export interface EventFeed {
  follow(options?: FollowOptions): AsyncIterable<Replayed>;
  /** This process has appended: look now rather than at the next poll. */
  poke(): void;
  /** Ends every iteration. */
  close(): void;
}

/** Older events in the memory of one follower; a thousand slow ones must not hold a megabyte and an open file each. */
const pageEvents = 128;
const pageWeight = 256 << 10;

/**
 * One reader of the log for any number of followers: it looks when this process has appended, when the store hints at another one, and four times a
 * second. A follower reads what is older than the shared window by itself, and again whenever it falls behind it; so a slow one costs the others
 * nothing, and nobody misses an event.
 */
export const createEventFeed = ({ events, workspaceId }: { readonly events: EventStore; readonly workspaceId: string }): EventFeed => {
  const tail = createLogTail({ events, workspaceId });
  const turnstile = createTurnstile();
  const readPage = createPageReader(events, workspaceId);
  let closed = false;

  async function* follow({ cursor, signal, ...filter }: FollowOptions = {}): AsyncGenerator<Replayed> {
    const matches = eventFilter(filter);
    const follower: Follower = { place: Number.POSITIVE_INFINITY, wake: null };
    const visitor = turnstile.visitor();
    const isOver = (): boolean => closed || signal?.aborted === true;
    const onAbort = (): void => follower.wake?.();
    signal?.addEventListener('abort', onAbort);
    if (!isOver()) tail.join(follower);
    try {
      let last = cursor;
      while (!isOver()) {
        const window = await tail.look();
        const start = window.end();
        follower.place = start;
        let read = 0;
        for await (const replayed of readInPages(readPage, last, visitor)) {
          if (!visitor.mayGoOn()) await visitor.enter();
          if (isOver()) return;
          last = replayed.cursor;
          read += 1;
          if (matches(replayed.event)) yield replayed;
        }
        // What was appended since `start` may stand in the window and have been read from the log as well.
        await tail.look();
        if (window.first() > start) continue;
        follower.place = (read === 0 || last === undefined ? null : window.after(last)) ?? start;
        while (!isOver() && follower.place >= window.first()) {
          const replayed = window.at(follower.place);
          if (replayed === null) {
            await tail.more(follower);
            continue;
          }
          if (!visitor.mayGoOn()) await visitor.enter();
          if (isOver()) return;
          follower.place += 1;
          last = replayed.cursor;
          if (matches(replayed.event)) yield replayed;
        }
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      tail.leave(follower);
    }
  }

  return {
    follow,
    poke: () => tail.poke(),
    close() {
      closed = true;
      tail.close();
    },
  };
};

interface Page {
  readonly events: readonly Replayed[];
  /** False when the log ended with this page. */
  readonly more: boolean;
}

type ReadPage = (cursor: string | undefined, visitor: Visitor) => Promise<Page>;

/**
 * Reads pages of the log, one at a time for all followers: each may have to wait for the lock of the log, and a thousand that wait there would stand
 * before the next commit.
 */
const createPageReader = (events: EventStore, workspaceId: string): ReadPage => {
  let before: Promise<unknown> = Promise.resolve();
  const read: ReadPage = async (cursor, visitor) => {
    await visitor.enter();
    const page: Replayed[] = [];
    let weight = 0;
    for await (const replayed of events.replay({ workspaceId, ...(cursor === undefined ? {} : { cursor }) })) {
      page.push(replayed);
      weight += weightOf(replayed.event);
      if (page.length === pageEvents || weight > pageWeight) break;
    }
    return { events: page, more: page.length === pageEvents || weight > pageWeight };
  };
  return (cursor, visitor) => {
    const reading = before.then(() => read(cursor, visitor));
    before = reading.catch(() => undefined);
    return reading;
  };
};

/** The log from a cursor to where it ends by then. */
async function* readInPages(readPage: ReadPage, cursor: string | undefined, visitor: Visitor): AsyncGenerator<Replayed> {
  for (let from = cursor, goOn = true; goOn; ) {
    const { events, more } = await readPage(from, visitor);
    yield* events;
    from = events.at(-1)?.cursor;
    goOn = more;
  }
}
