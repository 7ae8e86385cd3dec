import type Database from 'better-sqlite3';
import type { DocumentProjection, FileChange } from '#projections';
import type { Registry } from '#registry';
import { type DocumentFacts, documentFacts } from '../records/document-facts.ts';
import { foldText } from '../tokens/fold-text.ts';
import { extraWords } from '../tokens/search-tokens.ts';
import { indexText, tokeniserVersion } from '../tokens/tokens.ts';

/**
 * The full-text index: one row of what filters and facets ask for, and one row of tokens, for every Markdown file (§11.3). The tokens are ours; SQLite
 * keeps none of the text (readings: search words).
 */
export const createSearchProjection = (registry: Registry): DocumentProjection => ({
  id: 'search',
  feed: 'documents',
  // Which characters are letters, and how they are folded, is what the Unicode version of this Node says.
  version: `1 tokens ${tokeniserVersion} unicode ${process.versions.unicode} ${registry.digest}`,
  create: db => void db.exec(tables),
  drop: db => void db.exec(dropTables),
  apply: (db, changes) => applyChanges(db, registry, changes),
  holdings: db => db.prepare<[], { path: string; hash: string }>('SELECT path, hash FROM search_documents').iterate(),
  // The words themselves are in an index without content: of them only the rows are compared.
  contents: [
    'SELECT path, type, portability, language, status, title, timestamp, approval FROM search_documents',
    'SELECT path, key, tag FROM search_tags JOIN search_documents ON id = document',
    'SELECT path FROM search_text JOIN search_documents ON search_text.rowid = id',
  ],
});

// The tokeniser `ascii` takes ASCII letters and digits and everything beyond ASCII as parts of tokens: whatever ours gives stays one token.
const tables = `
  CREATE TABLE search_documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, type TEXT, portability TEXT NOT NULL, language TEXT, status TEXT,
    title TEXT NOT NULL, timestamp INTEGER, approval REAL NOT NULL
  );
  CREATE TABLE search_tags (document INTEGER NOT NULL, key TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (document, key)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE search_text USING fts5(
    title, names, description, tags, body, extra, content = '', contentless_delete = 1, tokenize = 'ascii'
  );
`;

const dropTables = ['search_documents', 'search_tags', 'search_text'].map(name => `DROP TABLE IF EXISTS ${name};`).join('\n');

/** How much a word counts by where it stands, in the order of the columns. */
export const columnWeights = '8.0, 6.0, 3.0, 4.0, 1.0, 0.4';

const applyChanges = (db: Database.Database, registry: Registry, changes: readonly FileChange[]): void => {
  const find = db.prepare<[string], { id: number }>('SELECT id FROM search_documents WHERE path = ?');
  const remove = db.prepare('DELETE FROM search_documents WHERE id = ?');
  const removeText = db.prepare('DELETE FROM search_text WHERE rowid = ?');
  const removeTags = db.prepare('DELETE FROM search_tags WHERE document = ?');
  const add = db.prepare(
    `INSERT INTO search_documents (id, path, hash, type, portability, language, status, title, timestamp, approval)
     VALUES (@id, @path, @hash, @type, @portability, @language, @status, @title, @timestamp, @approval)`,
  );
  const addText = db.prepare('INSERT INTO search_text (rowid, title, names, description, tags, body, extra) VALUES (?, ?, ?, ?, ?, ?, ?)');
  const addTag = db.prepare('INSERT OR IGNORE INTO search_tags VALUES (?, ?, ?)');
  for (const { path, file } of changes) {
    const held = find.get(path)?.id ?? null;
    if (held !== null) for (const removal of [remove, removeText, removeTags]) removal.run(held);
    if (file === null) continue;
    const facts = documentFacts(file, registry);
    const { hash, type, portability, language, status, title, timestamp, approval } = facts;
    const { lastInsertRowid: id } = add.run({ id: held, path, hash, type, portability, language, status, title, timestamp, approval });
    addText.run(id, ...columns(facts));
    for (const tag of facts.tags) addTag.run(id, tagKey(tag), tag);
  }
};

/** The form in which tags are compared: `#` and letter case do not count. */
export const tagKey = (tag: string): string => foldText(tag.trim().replace(/^#/, ''));

const columns = (facts: DocumentFacts): readonly string[] => {
  const { path, handle, title, description, aliases, tags, slug, semanticId, resource, body } = facts;
  const names = [...aliases, handle, slug, semanticId, resource].filter(name => name !== null);
  const spoken = [title, ...names, description, ...tags, body];
  const extra = spoken.flatMap(text => extraWords(text));
  return [title, names.join('\n'), description, tags.join('\n'), body]
    .map(indexText)
    .concat(indexText([path.replace(/\.md$/, ''), ...extra].join(' ')));
};
