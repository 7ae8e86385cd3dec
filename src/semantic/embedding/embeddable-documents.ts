import type Database from 'better-sqlite3';

/** A model with the length of its vectors: only vectors that share both are ever compared. */
export interface VectorSpace {
  readonly model: string;
  readonly dim: number;
}

// The graph projection knows every Markdown file; these are the ones that have a semantic record (§11.9).
const isRecord = "n.type IS NOT NULL AND n.type <> 'ssss:index'";
const isAllowed = `${isRecord} AND (n.portability = 'structural' OR :private = 1)`;
const hasVectors = `EXISTS (
  SELECT 1 FROM embedding_vectors v WHERE v.model = :model AND v.dim = :dim AND v.path = n.path AND v.hash = n.hash AND v.chunk = 0
)`;

type Parameters = VectorSpace & { readonly private: 0 | 1 };

const parameters = (space: VectorSpace, embedsPrivate: boolean): Parameters => ({
  model: space.model,
  dim: space.dim,
  private: embedsPrivate ? 1 : 0,
});

/** How many documents may be embedded, and how many of them have no vectors of this space for their content now. */
export const countDocuments = (
  db: Database.Database,
  space: VectorSpace | null,
  embedsPrivate: boolean,
): { readonly total: number; readonly missing: number } => {
  const count = (condition: string, values: object): number =>
    (db.prepare(`SELECT COUNT(*) AS n FROM graph_nodes n WHERE ${condition}`).get(values) as { readonly n: number }).n;
  const total = count(isAllowed, { private: embedsPrivate ? 1 : 0 });
  return { total, missing: space === null ? total : count(`${isAllowed} AND NOT ${hasVectors}`, parameters(space, embedsPrivate)) };
};

/** The next documents without vectors, by path, continuing behind one. */
export const missingDocuments = (
  db: Database.Database,
  space: VectorSpace,
  options: { readonly embedsPrivate: boolean; readonly after: string; readonly limit: number },
): readonly { readonly path: string; readonly hash: string }[] =>
  db
    .prepare<[object], { path: string; hash: string }>(
      `SELECT n.path, n.hash FROM graph_nodes n WHERE n.path > :after AND ${isAllowed} AND NOT ${hasVectors} ORDER BY n.path LIMIT :limit`,
    )
    .all({ ...parameters(space, options.embedsPrivate), after: options.after, limit: options.limit });

/** Removes vectors of other spaces, of contents that are gone, and of documents that may not be embedded. */
export const removeStaleVectors = (db: Database.Database, space: VectorSpace, embedsPrivate: boolean): void => {
  db.prepare(
    `DELETE FROM embedding_vectors WHERE model <> :model OR dim <> :dim OR NOT EXISTS (
       SELECT 1 FROM graph_nodes n WHERE n.path = embedding_vectors.path AND n.hash = embedding_vectors.hash AND ${isAllowed}
     )`,
  ).run(parameters(space, embedsPrivate));
};

/** Whether a vector of this content may be shown now: the document exists, still says the same, and may be embedded. */
export const createLiveTest = (db: Database.Database, embedsPrivate: boolean): ((path: string, hash: string) => boolean) => {
  const statement = db.prepare(`SELECT 1 FROM graph_nodes n WHERE n.path = :path AND n.hash = :hash AND ${isAllowed}`);
  return (path, hash) => statement.get({ path, hash, private: embedsPrivate ? 1 : 0 }) !== undefined;
};

/** The spaces that vectors exist in, the newest first. */
export const vectorSpaces = (db: Database.Database): readonly VectorSpace[] =>
  db
    .prepare<[], VectorSpace & { newest: number }>(
      'SELECT model, dim, MAX(seq) AS newest FROM embedding_vectors GROUP BY model, dim ORDER BY newest DESC',
    )
    .all()
    .map(({ model, dim }) => ({ model, dim }));
