import type Database from 'better-sqlite3';
import type { VectorSpace } from './embeddable-documents.ts';
import { readBlobInto, vectorInstance } from './vector-tables.ts';

/** One content of one document, whose pieces' vectors follow each other. */
export interface EmbeddedContent {
  readonly path: string;
  readonly hash: string;
}

/** The vectors of one space in memory, for exact comparison. */
export interface VectorMatrix {
  readonly dim: number;
  readonly rows: number;
  /** Rows in blocks of `blockRows`. */
  readonly blocks: readonly Float32Array[];
  /** Which content a row belongs to. */
  readonly contentOf: readonly number[];
  readonly contents: readonly EmbeddedContent[];
}

export const blockRows = 1024;

interface Held {
  readonly instance: string;
  readonly space: VectorSpace;
  readonly dim: number;
  rows: number;
  newest: number;
  readonly blocks: Float32Array[];
  readonly contentOf: number[];
  readonly contents: EmbeddedContent[];
  readonly place: Map<string, number>;
}

/**
 * Keeps the vectors of one space in memory and takes over what was written since, whichever process wrote it. Contents that were replaced stay until
 * too many have gathered: whoever ranks asks whether a content is still current.
 */
export const createVectorCache = (): { readonly read: (db: Database.Database, space: VectorSpace) => VectorMatrix } => {
  let held: Held | null = null;
  return {
    read(db, space) {
      const instance = vectorInstance(db);
      if (
        held === null ||
        held.instance !== instance ||
        held.space.model !== space.model ||
        held.space.dim !== space.dim ||
        isWorn(db, held)
      ) {
        held = {
          instance,
          space,
          dim: space.dim,
          rows: 0,
          newest: 0,
          blocks: [],
          contentOf: [],
          contents: [],
          place: new Map(),
        };
      }
      if (newestSeq(db) > held.newest) takeOver(db, held);
      return held;
    },
  };
};

const newestSeq = (db: Database.Database): number =>
  (db.prepare('SELECT COALESCE(MAX(seq), 0) AS newest FROM embedding_vectors').get() as { readonly newest: number }).newest;

/** Whether most of what is held was removed meanwhile; looked at only when something new is there, because it counts. */
const isWorn = (db: Database.Database, held: Held): boolean => {
  if (held.rows < 2 * blockRows || newestSeq(db) <= held.newest) return false;
  const { n } = db
    .prepare('SELECT COUNT(*) AS n FROM embedding_vectors WHERE model = ? AND dim = ? AND seq <= ?')
    .get(held.space.model, held.dim, held.newest) as { readonly n: number };
  return n * 2 < held.rows;
};

interface VectorRow extends EmbeddedContent {
  readonly seq: number;
  readonly vector: Buffer;
}

const takeOver = (db: Database.Database, held: Held): void => {
  const rows = db.prepare<[number, string, number], VectorRow>(
    'SELECT seq, path, hash, vector FROM embedding_vectors WHERE seq > ? AND model = ? AND dim = ? ORDER BY seq',
  );
  for (const { seq, path, hash, vector } of rows.iterate(held.newest, held.space.model, held.dim)) {
    held.newest = seq;
    // Written by something else than this program: no row of this space, whatever it says.
    if (vector.length !== held.dim * 4) continue;
    const row = held.rows;
    const at = row % blockRows;
    if (at === 0) held.blocks.push(new Float32Array(blockRows * held.dim));
    const block = held.blocks.at(-1) as Float32Array;
    readBlobInto(block, at * held.dim, vector);
    const key = `${path}\n${hash}`;
    let content = held.place.get(key);
    if (content === undefined) {
      content = held.contents.push({ path, hash }) - 1;
      held.place.set(key, content);
    }
    held.contentOf.push(content);
    held.rows += 1;
  }
};
