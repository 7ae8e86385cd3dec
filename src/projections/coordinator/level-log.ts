import type { Replayed } from '#adapter-contracts';
import { VaultError } from '#errors';
import type { ScanSource } from '../scan-vault.ts';
import { documentsConsumer, type Finding } from './apply-batch.ts';
import { type LogPlace, logStart } from './coordinator-tables.ts';
import { commit, type Levelling, patiently } from './levelling.ts';
import { beginAnew } from './prepare-projections.ts';

/** Events of one transaction. */
const batchEvents = 500;

/** Those who read the log and stand at the same place in it. */
interface Group {
  readonly consumers: readonly string[];
  readonly from: LogPlace;
}

/** Looks at documents by path. */
type LookAtPaths = (paths: Iterable<string>) => Promise<readonly Finding[]>;

/** What `levelLog` does about documents: look at those that new events name; nothing, as a pass over all files follows; or leave them behind. */
type AboutDocuments = LookAtPaths | 'pass-follows' | 'left';

/** Brings everybody who reads the log and was asked for up to its end. Resolves to the number of events that whoever was furthest behind took over. */
export const levelLog = async (levelling: Levelling, documents: AboutDocuments): Promise<number> => {
  const { source } = levelling;
  const end = await source.events.end();
  let events = 0;
  const seen = new Set<string | null>();
  for (let group = next(levelling, seen, documents === 'left'); group !== null; group = next(levelling, seen, documents === 'left')) {
    seen.add(group.from.cursor);
    if (!(await continuesAt(source, group.from))) {
      await startAgain(levelling, group);
      seen.delete(null);
      continue;
    }
    if (group.from.cursor === end) continue;
    const taken = await follow(levelling, group, typeof documents === 'string' ? null : documents, seen);
    events = Math.max(events, taken);
  }
  return events;
};

/** A group whose place was not seen yet. */
const next = ({ database: { tables }, asked }: Levelling, seen: ReadonlySet<string | null>, eventsOnly: boolean): Group | null => {
  const places = new Map<string, LogPlace>(eventsOnly ? [] : [[documentsConsumer, tables.about()]]);
  for (const row of tables.projections()) if (row.feed === 'events' && asked.some(({ id }) => id === row.id)) places.set(row.id, row);
  const [first] = [...places.values()].filter(({ cursor }) => !seen.has(cursor));
  if (first === undefined) return null;
  const { cursor, cursor_before, last_event } = first;
  const consumers = [...places].filter(([, place]) => place.cursor === cursor).map(([id]) => id);
  return { consumers, from: { cursor, cursor_before, last_event } };
};

/** Whether the log still holds, right before the cursor, the event that stood there: a checkout or merge may have exchanged the log. */
export const continuesAt = async (
  { events, workspaceId }: ScanSource,
  { cursor, cursor_before, last_event }: LogPlace,
): Promise<boolean> => {
  if (cursor === null) return true;
  try {
    for await (const replayed of events.replay({ workspaceId, ...(cursor_before === null ? {} : { cursor: cursor_before }) })) {
      return replayed.cursor === cursor && replayed.event.event_id === last_event;
    }
    return false;
  } catch (error) {
    if (error instanceof VaultError && error.code === 'invalid_request') return false;
    throw error;
  }
};

/** Everybody who stands at that place, so that a log that was exchanged is noticed once. */
const startAgain = async (levelling: Levelling, { from }: Group): Promise<void> => {
  const { database, projections } = levelling;
  const { connection, tables } = database;
  const work = connection.transaction(() => {
    for (const projection of projections) {
      if (projection.feed === 'events' && tables.projection(projection.id)?.cursor === from.cursor) beginAnew(database, projection);
    }
    if (tables.about().cursor === from.cursor) tables.setAbout({ ...logStart, scanned: 0 });
  });
  await patiently(() => work.immediate());
  levelling.onExchanged();
};

const follow = async (levelling: Levelling, group: Group, look: LookAtPaths | null, seen: Set<string | null>): Promise<number> => {
  const { source, signal } = levelling;
  const { workspaceId } = source;
  const withDocuments = group.consumers.includes(documentsConsumer);
  let place = group.from;
  let count = 0;
  let batch: Replayed[] = [];
  const flush = async (): Promise<boolean> => {
    const last = batch.at(-1);
    if (last === undefined) return true;
    const to = { cursor: last.cursor, cursor_before: batch.at(-2)?.cursor ?? place.cursor, last_event: last.event.event_id };
    const findings = withDocuments && look !== null ? await look(new Set(batch.map(({ event }) => event.subject))) : [];
    const { done } = await commit(levelling, { findings, events: batch, log: { consumers: group.consumers, from: place, to }, pass: null });
    if (!done) return false;
    count += batch.length;
    batch = [];
    place = to;
    return true;
  };
  for await (const replayed of source.events.replay({ workspaceId, ...(place.cursor === null ? {} : { cursor: place.cursor }) })) {
    batch.push(replayed);
    if (batch.length < batchEvents) continue;
    signal?.throwIfAborted();
    // Another process is further: whoever stands elsewhere now is another group.
    if (!(await flush())) return count;
  }
  if (await flush()) seen.add(place.cursor);
  return count;
};
