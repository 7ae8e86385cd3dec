import type Database from 'better-sqlite3';
import type { DocumentProjection, FileChange } from '#projections';
import type { Registry } from '#registry';
import { type DocumentFacts, documentFacts } from '../records/document-facts.ts';
import { foldText } from '../tokens/fold-text.ts';
import { extraWords } from '../tokens/search-tokens.ts';
import { indexText, tokeniserVersion } from '../tokens/tokens.ts';

/**
 * The full-text index: one row of what filters and facets ask for, and one row of tokens, for every Markdown file (§11.3). The tokens are ours
 * (readings: search words). They are kept beside the index, because only with them can a document be taken out of its statistics again: an index that
 * forgets a document without them goes on counting it, and every change of a document would move the scores of all others.
 */
export const createSearchProjection = (registry: Registry): DocumentProjection => ({
  id: 'search',
  feed: 'documents',
  // Which characters are letters, and how they are folded, is what the Unicode version of this Node says.
  version: `2 tokens ${tokeniserVersion} unicode ${process.versions.unicode} ${registry.digest}`,
  create: db => void db.exec(tables),
  drop: db => void db.exec(dropTables),
  apply: (db, changes) => applyChanges(db, registry, changes),
  holdings: db => db.prepare<[], { path: string; hash: string }>('SELECT path, hash FROM search_documents').iterate(),
  contents: [
    'SELECT path, type, portability, language, status, title, timestamp, approval FROM search_documents',
    'SELECT path, key, tag FROM search_tags JOIN search_documents ON id = document',
    'SELECT path, search_tokens.title, names, description, tags, body, extra FROM search_tokens JOIN search_documents USING (id)',
  ],
});

// The tokeniser `ascii` takes ASCII letters and digits and everything beyond ASCII as parts of tokens: whatever ours gives stays one token.
const tables = `
  CREATE TABLE search_documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, type TEXT, portability TEXT NOT NULL, language TEXT, status TEXT,
    title TEXT NOT NULL, timestamp INTEGER, approval REAL NOT NULL
  );
  CREATE TABLE search_tags (document INTEGER NOT NULL, key TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (document, key)) WITHOUT ROWID;
  CREATE TABLE search_tokens (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, names TEXT NOT NULL, description TEXT NOT NULL, tags TEXT NOT NULL, body TEXT NOT NULL, extra TEXT NOT NULL
  );
  CREATE VIRTUAL TABLE search_text USING fts5(
    title, names, description, tags, body, extra, content = 'search_tokens', content_rowid = 'id', tokenize = 'ascii'
  );
`;

const dropTables = ['search_documents', 'search_tags', 'search_text', 'search_tokens']
  .map(name => `DROP TABLE IF EXISTS ${name};`)
  .join('\n');

/** How much a word counts by where it stands, in the order of the columns. */
export const columnWeights = '8.0, 6.0, 3.0, 4.0, 1.0, 0.4';

const applyChanges = (db: Database.Database, registry: Registry, changes: readonly FileChange[]): void => {
  const find = db.prepare<[string], { id: number }>('SELECT id FROM search_documents WHERE path = ?');
  const remove = db.prepare('DELETE FROM search_documents WHERE id = ?');
  const removeText = db.prepare(
    `INSERT INTO search_text (search_text, rowid, title, names, description, tags, body, extra)
     SELECT 'delete', id, title, names, description, tags, body, extra FROM search_tokens WHERE id = ?`,
  );
  const removeTokens = db.prepare('DELETE FROM search_tokens WHERE id = ?');
  const removeTags = db.prepare('DELETE FROM search_tags WHERE document = ?');
  const add = db.prepare(
    `INSERT INTO search_documents (id, path, hash, type, portability, language, status, title, timestamp, approval)
     VALUES (@id, @path, @hash, @type, @portability, @language, @status, @title, @timestamp, @approval)`,
  );
  const addTokens = db.prepare('INSERT INTO search_tokens (id, title, names, description, tags, body, extra) VALUES (?, ?, ?, ?, ?, ?, ?)');
  const addText = db.prepare('INSERT INTO search_text (rowid, title, names, description, tags, body, extra) VALUES (?, ?, ?, ?, ?, ?, ?)');
  const addTag = db.prepare('INSERT OR IGNORE INTO search_tags VALUES (?, ?, ?)');
  for (const { path, file } of changes) {
    const held = find.get(path)?.id ?? null;
    if (held !== null) for (const removal of [remove, removeText, removeTokens, removeTags]) removal.run(held);
    if (file === null) continue;
    const facts = documentFacts(file, registry);
    const { hash, type, portability, language, status, title, timestamp, approval } = facts;
    const { lastInsertRowid: id } = add.run({ id: held, path, hash, type, portability, language, status, title, timestamp, approval });
    const texts = columns(facts);
    addTokens.run(id, ...texts);
    addText.run(id, ...texts);
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
