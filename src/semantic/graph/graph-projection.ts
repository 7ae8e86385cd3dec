import type Database from 'better-sqlite3';
import type { DocumentProjection, FileChange } from '#projections';
import type { Registry } from '#registry';
import { documentFacts } from '../records/document-facts.ts';
import { rawLinks } from '../records/raw-links.ts';
import { namesOf } from '../records/record-lookup.ts';
import { linkKeys } from './link-keys.ts';

/**
 * Documents as nodes, their relations and links as edges (§11.9). An edge is kept as it is written, with the keys under which a document would answer
 * to it, and is resolved when it is read: so a new or a removed document changes no rows but its own.
 */
export const createGraphProjection = (registry: Registry): DocumentProjection => ({
  id: 'graph',
  feed: 'documents',
  version: `1 ${registry.digest}`,
  create: db => void db.exec(tables),
  drop: db => void db.exec(dropTables),
  apply: (db, changes) => applyChanges(db, registry, changes),
  holdings: db => db.prepare<[], { path: string; hash: string }>('SELECT path, hash FROM graph_nodes').iterate(),
  contents: [
    'SELECT path, type, portability, title, identity, semantic_id FROM graph_nodes',
    'SELECT path, key, tier FROM graph_names',
    'SELECT source, place, kind, name, target FROM graph_edges',
    'SELECT source, place, key FROM graph_keys',
  ],
});

const tables = `
  CREATE TABLE graph_nodes (
    path TEXT PRIMARY KEY, hash TEXT NOT NULL, type TEXT, portability TEXT NOT NULL, title TEXT NOT NULL, identity TEXT NOT NULL, semantic_id TEXT
  ) WITHOUT ROWID;
  CREATE INDEX graph_nodes_by_semantic_id ON graph_nodes (semantic_id) WHERE semantic_id IS NOT NULL;
  CREATE TABLE graph_names (key TEXT NOT NULL, tier INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY (key, tier, path)) WITHOUT ROWID;
  CREATE INDEX graph_names_by_path ON graph_names (path);
  CREATE TABLE graph_edges (
    source TEXT NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT, target TEXT NOT NULL, PRIMARY KEY (source, place)
  ) WITHOUT ROWID;
  CREATE TABLE graph_keys (key TEXT NOT NULL, source TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (key, source, place)) WITHOUT ROWID;
  CREATE INDEX graph_keys_by_source ON graph_keys (source);
`;

const dropTables = ['graph_nodes', 'graph_names', 'graph_edges', 'graph_keys'].map(name => `DROP TABLE IF EXISTS ${name};`).join('\n');

const applyChanges = (db: Database.Database, registry: Registry, changes: readonly FileChange[]): void => {
  const removals = [
    db.prepare('DELETE FROM graph_nodes WHERE path = ?'),
    db.prepare('DELETE FROM graph_names WHERE path = ?'),
    db.prepare('DELETE FROM graph_edges WHERE source = ?'),
    db.prepare('DELETE FROM graph_keys WHERE source = ?'),
  ];
  const addNode = db.prepare('INSERT INTO graph_nodes VALUES (?, ?, ?, ?, ?, ?, ?)');
  const addName = db.prepare('INSERT OR IGNORE INTO graph_names VALUES (?, ?, ?)');
  const addEdge = db.prepare('INSERT INTO graph_edges VALUES (?, ?, ?, ?, ?)');
  const addKey = db.prepare('INSERT OR IGNORE INTO graph_keys VALUES (?, ?, ?)');
  for (const { path, file } of changes) {
    for (const removal of removals) removal.run(path);
    if (file === null) continue;
    const facts = documentFacts(file, registry);
    addNode.run(path, facts.hash, facts.type, facts.portability, facts.title, facts.identity, facts.semanticId);
    for (const { key, tier } of namesOf(facts)) addName.run(key, tier, path);
    for (const [place, edge] of rawLinks(file.parsed).entries()) {
      addEdge.run(path, place, edge.kind, edge.name, edge.target);
      for (const key of linkKeys(edge, path)) addKey.run(key, path, place);
    }
  }
};
