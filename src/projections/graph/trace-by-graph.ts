import type Database from 'better-sqlite3';
import type { CanonicalEvent } from '#adapter-contracts';
import type { ScanSource } from '../scan-vault.ts';
import { type CausalTree, causalTree, collectTree, type TreeQuery, traceEvents, treeQuery } from '../trace-events.ts';
import type { VaultProjections } from '../vault-projections.ts';
import { cursorBefore, eventGraph, type GraphRow, reachableRows } from './event-graph.ts';

/**
 * The tree of `traceEvents`, by the event graph instead of the whole log. Where the graph cannot be brought level, or the log was exchanged on the way, the
 * log is read after all.
 */
export const traceByGraph = async (
  source: ScanSource,
  projections: Pick<VaultProjections, 'of'>,
  idOrCorrelation: string,
): Promise<CausalTree> => {
  try {
    const graph = projections.of(eventGraph.id);
    await graph.level();
    const query = await treeQuery(source, idOrCorrelation);
    const runs = await graph.read(db => runsOf(db, chosenRows(db, query)));
    const events = await readRuns(source, runs);
    if (events !== null) return causalTree(query, events);
  } catch {
    // The log is the record; whatever is wrong with the graph, the next levelling says.
  }
  return traceEvents(source, idOrCorrelation);
};

/** Exactly the lines that reading the whole log would collect: the same choice, among those that can be reached at all. */
const chosenRows = (db: Database.Database, query: TreeQuery): readonly GraphRow[] => {
  const { asked, root } = query;
  return collectTree(query, reachableRows(db, root === null ? { correlation: asked } : { root }));
};

/** Lines that stand near each other in the log are read in one go. */
interface Run {
  readonly before: string | null;
  readonly rows: readonly GraphRow[];
}

const nearby = 32;

const runsOf = (db: Database.Database, rows: readonly GraphRow[]): readonly Run[] => {
  const runs: { before: string | null; rows: GraphRow[] }[] = [];
  for (const row of rows) {
    const last = runs.at(-1)?.rows;
    if (last !== undefined && row.position - (last.at(-1)?.position ?? 0) <= nearby) last.push(row);
    else runs.push({ before: cursorBefore(db, row), rows: [row] });
  }
  return runs;
};

/** The events behind the rows; null when the log does not hold them there. */
const readRuns = async ({ events, workspaceId }: ScanSource, runs: readonly Run[]): Promise<readonly CanonicalEvent[] | null> => {
  const found: CanonicalEvent[] = [];
  for (const { before, rows } of runs) {
    const wanted = new Map(rows.map(row => [row.cursor, row.event_id]));
    for await (const { event, cursor } of events.replay({ workspaceId, ...(before === null ? {} : { cursor: before }) })) {
      const id = wanted.get(cursor);
      if (id === undefined) continue;
      if (id !== event.event_id) return null;
      wanted.delete(cursor);
      found.push(event);
      if (wanted.size === 0) break;
    }
    if (wanted.size > 0) return null;
  }
  return found;
};
