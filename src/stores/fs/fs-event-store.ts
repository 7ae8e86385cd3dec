import type { EventStore, LastRecorded } from '#adapter-contracts';
import type { Committer } from './committer.ts';
import type { EventLog } from './event-log.ts';

const rowsPerPage = 1_000;

/** The event log as `EventStore`: appends of one batch reach the disk together, lookups go through the index. */
export const createFsEventStore = (log: EventLog, committer: Committer): EventStore => ({
  append: event => committer.append(event),
  replay: (options = {}) => log.replay(options),
  end: () => log.end(),
  cursorAfter: eventId => log.cursorAfter(eventId),
  watch: changed => log.watch(changed),
  findByIdempotencyKey: (workspaceId, key) => log.findByKey(workspaceId, key),
  findById: eventId => log.findById(eventId),
  lastRecorded: (workspaceId, path) => log.withIndex(index => index.lastRecorded(workspaceId, path)),
  async *lastRecordedAll(workspaceId, options = {}): AsyncIterable<LastRecorded & { readonly path: string }> {
    for (let after = options.after ?? ''; ; ) {
      const from = after;
      const page = await log.withIndex(index => index.recordedAfter(workspaceId, from, rowsPerPage));
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.path;
    }
  },
  damage: () => log.damage(),
  knownDamage: () => log.knownDamage(),
});
