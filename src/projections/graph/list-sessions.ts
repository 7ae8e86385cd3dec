import type Database from 'better-sqlite3';

/** A session (§8.3): the events of one correlation. */
export interface Session {
  readonly correlation_id: string;
  readonly events: number;
  /** Times of the first and the last event in log order. */
  readonly first_at: string;
  readonly last_at: string;
  /** Ids of its principals, in the order of their first event; the first ones of many. */
  readonly actors: readonly string[];
  /** What its first causes are about, in log order; the first ones of many. */
  readonly subjects: readonly string[];
}

export interface SessionQuery {
  readonly limit: number;
  /** Continue behind the sessions before; from an earlier answer. */
  readonly cursor?: string;
  /** Milliseconds; sessions whose last event is at or after it. */
  readonly since?: number;
}

export interface SessionPage {
  /** The one with the newest event first. */
  readonly sessions: readonly Session[];
  readonly cursor: string | null;
}

/** Actors and subjects named of one session. */
const mostNamed = 20;

/** Sessions, newest first; a session that grows while somebody pages moves to the front and may be missed there, never given twice in one pass. */
export const listSessions = (db: Database.Database, { limit, cursor, since }: SessionQuery): SessionPage => {
  const rows = db
    .prepare(
      `SELECT s.correlation, s.events, s.last, first.timestamp AS first_at, newest.timestamp AS last_at
       FROM (SELECT correlation, count(*) AS events, min(position) AS first, max(position) AS last FROM event_graph_events GROUP BY correlation) AS s
       JOIN event_graph_events AS first ON first.position = s.first
       JOIN event_graph_events AS newest ON newest.position = s.last
       WHERE s.last < @before AND (@since IS NULL OR newest.moment >= @since)
       ORDER BY s.last DESC LIMIT @limit`,
    )
    .all({
      before: cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor),
      since: since ?? null,
      limit: limit + 1,
    }) as SessionRow[];
  const actors = db.prepare('SELECT actor FROM event_graph_events WHERE correlation = ? GROUP BY actor ORDER BY min(position) LIMIT ?');
  // The plus keeps SQLite from walking the whole session for each of its events; a cause is found by its id.
  const subjects = db.prepare(
    `SELECT subject FROM event_graph_events AS e WHERE correlation = @correlation AND NOT EXISTS
       (SELECT 1 FROM event_graph_events AS cause WHERE cause.event_id = e.cause AND +cause.correlation = @correlation AND cause.position < e.position)
     GROUP BY subject ORDER BY min(position) LIMIT @most`,
  );
  const page = rows.slice(0, limit);
  return {
    sessions: page.map(({ correlation, events, first_at, last_at }) => ({
      correlation_id: correlation,
      events,
      first_at,
      last_at,
      actors: actors.pluck().all(correlation, mostNamed) as string[],
      subjects: subjects.pluck().all({ correlation, most: mostNamed }) as string[],
    })),
    cursor: rows.length > limit ? String(page.at(-1)?.last) : null,
  };
};

interface SessionRow {
  readonly correlation: string;
  readonly events: number;
  readonly last: number;
  readonly first_at: string;
  readonly last_at: string;
}
