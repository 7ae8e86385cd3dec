import type Database from 'better-sqlite3';
import type { Embedder } from '#adapter-contracts';
import type { SemanticLaneState } from '../semantic-lane.ts';
import { countDocuments, type VectorSpace, vectorSpaces } from './embeddable-documents.ts';
import type { EmbedderInForce } from './embeddings.ts';
import { hasVectorTables } from './vector-tables.ts';

/** Where the index stands, and the space that questions are answered in when it is ready. */
export interface IndexState {
  readonly state: SemanticLaneState;
  readonly space: VectorSpace | null;
}

/** Without a model there is no index to look at. */
export const stateWithoutModel = ({ problem }: Pick<EmbedderInForce, 'problem'>): IndexState => ({
  state: { state: 'off', ...(problem === null ? {} : { reason: problem }) },
  space: null,
});

/** Holds the index against the model that is in force. `exchanged` says that the model answers otherwise than when the index was made. */
export const readIndexState = (
  db: Database.Database,
  { embedder, embedsPrivate }: { readonly embedder: Embedder; readonly embedsPrivate: boolean },
  exchanged: boolean,
): IndexState => {
  const { model, dimension } = embedder;
  const needed = (reason: string): IndexState => ({ state: { state: 'reindex_needed', model, reason }, space: null });
  const spaces = hasVectorTables(db) ? vectorSpaces(db) : [];
  const own = spaces.filter(space => space.model === model);
  // Until the model was asked once its dimension is unknown: then that of the newest vectors it made.
  const space = own.find(({ dim }) => dimension === null || dim === dimension);
  const [other] = spaces;
  if (space === undefined) {
    const [ownOther] = own;
    if (ownOther !== undefined)
      return needed(`the vectors have ${ownOther.dim} numbers and ${model} makes ${dimension} now: run \`sheaf index embed\``);
    if (other !== undefined) return needed(`the vectors were made by ${other.model}, and ${model} is set: run \`sheaf index embed\``);
    return needed('no document was embedded yet: run `sheaf index embed`');
  }
  if (exchanged) return needed(`${model} answers otherwise than when the vectors were made: run \`sheaf index embed --rebuild\``);
  const { missing } = countDocuments(db, space, embedsPrivate);
  return { state: { state: 'ready', model, dimension: space.dim, missing }, space };
};

/** Remembers an answer as long as nothing in the database changed: the same connection counts its own changes and notices those of others. */
export const createStateMemory = <T>(): ((db: Database.Database, key: string, make: () => T) => T) => {
  let known: { readonly db: WeakRef<Database.Database>; readonly key: string; readonly value: T } | null = null;
  return (db, key, make) => {
    const version = String(db.pragma('data_version', { simple: true }));
    const own = (db.prepare('SELECT total_changes() AS n').get() as { readonly n: number }).n;
    const whole = `${version} ${own} ${key}`;
    if (known === null || known.db.deref() !== db || known.key !== whole) known = { db: new WeakRef(db), key: whole, value: make() };
    return known.value;
  };
};
