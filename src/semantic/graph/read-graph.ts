import type Database from 'better-sqlite3';
import type { LinkResolution } from '#document';
import type { PortabilityClass } from '#registry';
import type { RawLink } from '../records/raw-links.ts';
import { nameKey, type RecordLookup, resolveEdge } from '../records/record-lookup.ts';
import { keysOfNode } from './link-keys.ts';

/** A Markdown file of the vault. */
export interface GraphNode {
  readonly path: string;
  readonly type: string | null;
  readonly portability: PortabilityClass;
  readonly title: string;
  /** `semantic_id`, else `resource`, else the path. */
  readonly identity: string;
}

/** An edge as it is written, and where it leads now. */
export interface GraphEdge extends RawLink {
  readonly source: string;
  readonly resolution: LinkResolution;
}

/** The graph of documents as the `graph` projection holds it; level the projections first, and read all you need in one `projections.read`. */
export interface DocumentGraph extends RecordLookup {
  node(path: string): GraphNode | null;
  /** Edges that start in a document, in their order. */
  edgesFrom(path: string): readonly GraphEdge[];
  /** Edges of other documents, and of itself, that lead to a document, by path; those that are ambiguous and name it among others too. */
  edgesTo(path: string): readonly GraphEdge[];
  /** Every edge of the vault, by path. */
  edges(): Iterable<GraphEdge>;
}

type NodeRow = GraphNode & { readonly semantic_id: string | null };
type EdgeRow = RawLink & { readonly source: string };
type FoundRow = Pick<GraphNode, 'path' | 'type'>;

/**
 * Reads the graph of documents. Those of a type that `mayRead` refuses are not there, so that a link leads where it would lead without them: what it
 * may mean must not tell of them.
 *
 * @example const backlinks = await projections.read(db => readGraph(db).edgesTo('rules/tone.md'));
 */
export const readGraph = (db: Database.Database, mayRead: (type: string | null) => boolean = () => true): DocumentGraph => {
  const byPath = db.prepare<[string], NodeRow>(
    'SELECT path, type, portability, title, identity, semantic_id FROM graph_nodes WHERE path = ?',
  );
  const byId = db.prepare<[string], FoundRow>('SELECT path, type FROM graph_nodes WHERE semantic_id = ? ORDER BY path');
  const byName = db.prepare<[string], FoundRow & { readonly tier: number }>(
    'SELECT path, type, tier FROM graph_names JOIN graph_nodes USING (path) WHERE key = ? ORDER BY tier, path',
  );
  const namesOfPath = db.prepare<[string], { key: string }>('SELECT key FROM graph_names WHERE path = ?');
  const from = db.prepare<[string], EdgeRow>('SELECT source, kind, name, target FROM graph_edges WHERE source = ? ORDER BY place');
  const byKeys = db.prepare<[string], EdgeRow>(
    `SELECT source, kind, name, target FROM graph_edges WHERE (source, place) IN (
       SELECT source, place FROM graph_keys WHERE key IN (SELECT value FROM json_each(?))
     ) ORDER BY source, place`,
  );
  const all = db.prepare<[], EdgeRow>('SELECT source, kind, name, target FROM graph_edges ORDER BY source, place');

  const find = (path: string): NodeRow | undefined => {
    const row = byPath.get(path);
    return row !== undefined && mayRead(row.type) ? row : undefined;
  };
  const lookup: RecordLookup = {
    exists: path => find(path) !== undefined,
    named: name => {
      const rows = byName.all(nameKey(name)).filter(row => mayRead(row.type));
      return rows.filter(({ tier }) => tier === rows[0]?.tier).map(row => row.path);
    },
    identified: id => byId.all(id).flatMap(row => (mayRead(row.type) ? row.path : [])),
  };
  const followed = (row: EdgeRow): GraphEdge => ({ ...row, resolution: resolveEdge(row, row.source, lookup) });
  return {
    ...lookup,
    node: path => {
      const row = find(path);
      if (row === undefined) return null;
      const { semantic_id: _, ...node } = row;
      return node;
    },
    edgesFrom: path => from.all(path).map(followed),
    edgesTo: path => {
      const keys = keysOfNode({ path, semantic_id: byPath.get(path)?.semantic_id ?? null }, namesOfPath.all(path));
      return byKeys
        .all(JSON.stringify(keys))
        .map(followed)
        .filter(({ resolution }) => leadsTo(resolution, path));
    },
    edges: function* () {
      for (const row of all.all()) yield followed(row);
    },
  };
};

const leadsTo = (resolution: LinkResolution, path: string): boolean =>
  resolution.kind === 'resolved' ? resolution.path === path : resolution.kind === 'ambiguous' && resolution.candidates.includes(path);

/** The paths of all documents of a qualified type, sorted; level the projections first. */
export const pathsOfType = (db: Database.Database, type: string): readonly string[] =>
  db
    .prepare<[string], { path: string }>('SELECT path FROM graph_nodes WHERE type = ? ORDER BY path')
    .all(type)
    .map(({ path }) => path);
