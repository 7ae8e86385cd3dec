import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';

/**
 * One row for each piece of a document: where it comes from, the content it was made from, and the model and dimension that made it (§11.9). The
 * sequence only grows, so that readers take over what is new. Made on first use, beside the projections: rebuilding those must not throw away vectors
 * that took hours, because a vector stands for a content, whatever becomes of the rows around it.
 */
export const prepareVectorTables = (db: Database.Database): void => {
  db.exec(`
    CREATE TABLE IF NOT EXISTS embedding_meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS embedding_vectors (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      model TEXT NOT NULL, dim INTEGER NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, chunk INTEGER NOT NULL, vector BLOB NOT NULL,
      UNIQUE (model, dim, path, hash, chunk)
    );
  `);
  db.prepare('INSERT OR IGNORE INTO embedding_meta VALUES (?, ?)').run('instance', randomUUID());
};

/** Whether anybody made the tables yet; reading makes none. */
export const hasVectorTables = (db: Database.Database): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'embedding_vectors'").get() !== undefined;

/** Tells one database from the next that took its place. */
export const vectorInstance = (db: Database.Database): string =>
  (db.prepare("SELECT value FROM embedding_meta WHERE key = 'instance'").get() as { readonly value: string }).value;

/** Vectors as they are stored: 32-bit floats, little-endian. */
export const vectorToBlob = (vector: Float32Array): Buffer => {
  const blob = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => void blob.writeFloatLE(value, index * 4));
  return blob;
};

/** Puts a stored vector into `target` from `at` on. */
export const readBlobInto = (target: Float32Array, at: number, blob: Buffer): void => {
  // Bytes as they are, where this machine keeps numbers in the same order: a large index is in memory several times sooner.
  if (isLittleEndian) new Uint8Array(target.buffer, target.byteOffset).set(blob, at * 4);
  else for (let index = 0; index < blob.length / 4; index += 1) target[at + index] = blob.readFloatLE(index * 4);
};

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
