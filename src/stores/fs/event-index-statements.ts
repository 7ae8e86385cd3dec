import type Database from 'better-sqlite3';
import { type IndexedEvent, pathPrefixes } from './event-index.ts';

const readPosition = 'SELECT segment, "offset", last_offset, last_length, last_digest FROM about';

type Statements<Name extends string> = Readonly<Record<Name, Database.Statement>>;

export const prepareReads = (
  reader: Database.Database,
): Statements<'position' | 'event' | 'key' | 'document' | 'documents' | 'spellings' | 'below' | 'segments' | 'findings' | 'ids'> => ({
  position: reader.prepare(readPosition),
  event: reader.prepare('SELECT segment, "offset", length FROM events WHERE id = ?'),
  key: reader.prepare('SELECT segment, "offset", length FROM keys WHERE hash = ?'),
  document: reader.prepare('SELECT path, event_id, timestamp, hash, adopted FROM documents WHERE workspace = ? AND path = ?'),
  documents: reader.prepare(
    'SELECT path, event_id, timestamp, hash, adopted FROM documents WHERE workspace = ? AND path > ? ORDER BY path LIMIT ?',
  ),
  spellings: reader.prepare('SELECT actual FROM names WHERE folded = ? ORDER BY actual').pluck(),
  below: reader.prepare('SELECT DISTINCT path FROM documents WHERE path >= ? AND path < ? AND path > ? ORDER BY path LIMIT ?').pluck(),
  segments: reader.prepare('SELECT segment, size FROM segments'),
  findings: reader.prepare('SELECT kind, segment, "offset", length, detail FROM findings ORDER BY rowid'),
  ids: reader.prepare('SELECT id FROM events').pluck(),
});

// Names already written by this connection are not written again; bounded, because a vault may hold millions.
const rememberedNames = 50_000;

interface IndexWrites extends Statements<'begin' | 'commit' | 'rollback' | 'seal' | 'move' | 'note' | 'position'> {
  /** False when the id was there already. */
  add(id: string | Uint8Array, event: IndexedEvent): boolean;
  /** After a rollback the names it remembers may not be there. */
  forgetNames(): void;
}

export const prepareWrites = (writer: Database.Database): IndexWrites => {
  const event = writer.prepare('INSERT INTO events (id, segment, "offset", length) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const key = writer.prepare('INSERT INTO keys (hash, segment, "offset", length) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  // An upsert leaves the index by path alone, which a replace would rewrite.
  const document = writer.prepare(
    `INSERT INTO documents (workspace, path, event_id, timestamp, hash, adopted) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, path)
      DO UPDATE SET event_id = excluded.event_id, timestamp = excluded.timestamp, hash = excluded.hash, adopted = excluded.adopted`,
  );
  const name = writer.prepare('INSERT INTO names (folded, actual) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const written = new Set<string>();
  const addNames = (path: string): void => {
    if (written.has(path)) return;
    if (written.size >= rememberedNames) written.clear();
    written.add(path);
    for (const { folded, actual } of pathPrefixes(path)) name.run(folded, actual);
  };
  return {
    position: writer.prepare(readPosition),
    begin: writer.prepare('BEGIN IMMEDIATE'),
    commit: writer.prepare('COMMIT'),
    rollback: writer.prepare('ROLLBACK'),
    seal: writer.prepare('INSERT OR REPLACE INTO segments (segment, size) VALUES (?, ?)'),
    move: writer.prepare('UPDATE about SET segment = ?, "offset" = ?, last_offset = ?, last_length = ?, last_digest = ?'),
    note: writer.prepare('INSERT INTO findings (kind, segment, "offset", length, detail) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    add(id: string | Uint8Array, { keyHash, place, recorded }: IndexedEvent): boolean {
      const { changes } = event.run(id, place.segment, place.offset, place.length);
      key.run(keyHash, place.segment, place.offset, place.length);
      // A repeated event happened once: it must not turn back what a later one recorded.
      if (changes > 0 && recorded !== null) {
        const { workspaceId, path, event_id, timestamp, hash, adopted } = recorded;
        document.run(workspaceId, path, event_id, timestamp, hash, adopted ? 1 : 0);
        addNames(path);
      }
      return changes > 0;
    },
    forgetNames: () => written.clear(),
  };
};
