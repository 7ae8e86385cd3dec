import type Database from 'better-sqlite3';
import type { Replayed } from '#adapter-contracts';
import type { EventProjection } from '../derived-projection.ts';

/** What the graph keeps of one line of the log; a merged log may hold an event id twice, and each line is kept. */
export interface GraphRow {
  /** Counts the lines of the workspace, from 1. */
  readonly position: number;
  readonly cursor: string;
  readonly event_id: string;
  readonly correlation: string;
  readonly cause: string | null;
  readonly actor: string;
  readonly subject: string;
  readonly timestamp: string;
  /** The timestamp in milliseconds; null when it is none. */
  readonly moment: number | null;
}

const columns = 'position, cursor, event_id, correlation, cause, actor, subject, timestamp, moment';

/**
 * The forward view of the event graph (§8.3): causes to what they caused, correlations to their events, in log order. The edges are in the log, pointing
 * backward; this only saves reading all of it.
 */
export const eventGraph: EventProjection = {
  id: 'event_graph',
  version: '1',
  feed: 'events',
  create(db) {
    db.exec(`
      CREATE TABLE event_graph_events (position INTEGER PRIMARY KEY, cursor TEXT NOT NULL UNIQUE, event_id TEXT NOT NULL, correlation TEXT NOT NULL,
        cause TEXT, actor TEXT NOT NULL, subject TEXT NOT NULL, timestamp TEXT NOT NULL, moment INTEGER);
      CREATE INDEX event_graph_by_id ON event_graph_events (event_id);
      CREATE INDEX event_graph_by_cause ON event_graph_events (cause) WHERE cause IS NOT NULL;
      CREATE INDEX event_graph_by_correlation ON event_graph_events (correlation);`);
  },
  drop: db => void db.exec('DROP TABLE IF EXISTS event_graph_events'),
  apply(db, events) {
    const add = db.prepare(
      `INSERT OR IGNORE INTO event_graph_events (${columns})
       VALUES ((SELECT ifnull(max(position), 0) + 1 FROM event_graph_events), @cursor, @event_id, @correlation, @cause, @actor, @subject, @timestamp, @moment)`,
    );
    for (const replayed of events) add.run(rowOf(replayed));
  },
  holds(db, replayed) {
    const held = db.prepare(`SELECT ${columns} FROM event_graph_events WHERE cursor = ?`).get(replayed.cursor) as GraphRow | undefined;
    if (held === undefined) return false;
    const wanted = rowOf(replayed);
    return Object.entries(wanted).every(([name, value]) => held[name as keyof typeof wanted] === value);
  },
  size: db => db.prepare('SELECT count(*) FROM event_graph_events').pluck().get() as number,
};

const rowOf = ({ event, cursor }: Replayed): Omit<GraphRow, 'position'> => ({
  cursor,
  event_id: event.event_id,
  correlation: event.correlation_id,
  cause: event.causation_id,
  actor: event.principal.id,
  subject: event.subject,
  timestamp: event.timestamp,
  moment: momentOf(event.timestamp),
});

const momentOf = (timestamp: string): number | null => {
  const moment = Date.parse(timestamp);
  return Number.isNaN(moment) ? null : moment;
};

/** Every line that may belong to the tree of `root`, or to a correlation and what it caused, in log order: no line of the tree is missing. */
export const reachableRows = (
  db: Database.Database,
  start: { readonly root: string } | { readonly correlation: string },
): readonly GraphRow[] => {
  const byId = db.prepare(`SELECT ${columns} FROM event_graph_events WHERE event_id = ?`);
  const byCause = db.prepare(`SELECT ${columns} FROM event_graph_events WHERE cause = ?`);
  const byCorrelation = db.prepare(`SELECT ${columns} FROM event_graph_events WHERE correlation = ?`);
  const rows = new Map<number, GraphRow>();
  const ids = new Set<string>();
  const pending = ('root' in start ? byId.all(start.root) : byCorrelation.all(start.correlation)) as GraphRow[];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.set(row.position, row);
    if (ids.has(row.event_id)) continue;
    ids.add(row.event_id);
    for (const effect of byCause.all(row.event_id) as GraphRow[]) if (!rows.has(effect.position)) pending.push(effect);
  }
  return [...rows.values()].sort((a, b) => a.position - b.position);
};

/** The cursor before a line; null at the beginning of the log. */
export const cursorBefore = (db: Database.Database, { position }: Pick<GraphRow, 'position'>): string | null =>
  (db
    .prepare('SELECT cursor FROM event_graph_events WHERE position = ?')
    .pluck()
    .get(position - 1) as string | undefined) ?? null;
