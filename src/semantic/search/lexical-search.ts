import type Database from 'better-sqlite3';
import type { PortabilityClass } from '#registry';
import { matchExpression, wordExpression } from './match-expression.ts';
import type { ParsedQuery } from './parse-query.ts';
import { fitsForReader } from './rank-for-reader.ts';
import { columnWeights } from './search-projection.ts';
import { type SearchScope, type SqlCondition, scopeCondition } from './search-scope.ts';

/** A document of the index that may be shown. */
export interface FoundDocument {
  readonly path: string;
  readonly hash: string;
  readonly type: string | null;
  readonly portability: PortabilityClass;
  readonly language: string | null;
  readonly status: string | null;
  readonly title: string;
  readonly timestamp: number | null;
  readonly approval: number;
}

export interface LexicalHit extends FoundDocument {
  /** How well the words fit (BM25, weighted by where they stand); higher is better, 0 when no word occurs. */
  readonly lexical: number;
  /** Words of the question that occur. */
  readonly matched: number;
}

export interface LexicalAnswer {
  /** `any`: no document has all the words, so these have some of them. */
  readonly mode: 'all' | 'any';
  readonly total: number;
  readonly hits: readonly LexicalHit[];
}

export interface LexicalRequest {
  readonly query: ParsedQuery;
  readonly scope: SearchScope;
  readonly offset: number;
  readonly limit: number;
  /** Let `feedback` blocks move documents a little (§11.6). */
  readonly feedback: boolean;
}

const columns = 'd.path, d.hash, d.type, d.portability, d.language, d.status, d.title, d.timestamp, d.approval';
const score = `-bm25(search_text, ${columnWeights})`;

/**
 * The documents with all words, best first, equal ones by path; where there is none, those with any of them, more words first. Reads the tables of the
 * `search` projection.
 */
export const searchWords = (db: Database.Database, request: LexicalRequest): LexicalAnswer => {
  const { query } = request;
  if (query.words.length === 0) return { mode: 'all', total: 0, hits: [] };
  const all = rankedRows(db, request, 'all');
  if (all.total > 0 || query.words.length === 1) return { mode: 'all', ...all };
  return { mode: 'any', ...rankedRows(db, request, 'any') };
};

const rankedRows = (db: Database.Database, request: LexicalRequest, mode: 'all' | 'any'): Pick<LexicalAnswer, 'total' | 'hits'> => {
  const { query, scope, offset, limit, feedback } = request;
  const condition = scopeCondition(scope);
  const match = matchExpression(query, mode);
  const ranking = scope.readable === undefined ? rankingForAll(query, mode) : rankingForReader(fitsForReader(db, query, scope));
  const rows = db
    .prepare<unknown[], LexicalHit>(
      `${ranking.with} SELECT ${columns}, ${ranking.lexical} AS lexical, ${ranking.matched} AS matched FROM ${ranking.from}
       WHERE ${ranking.match} AND ${condition.sql}
       ORDER BY matched DESC, ${ranking.lexical}${feedback ? ` * (1 + ${feedbackWeight} * d.approval)` : ''} DESC, d.path
       LIMIT ? OFFSET ?`,
    )
    .all(...ranking.values, match, ...condition.values, limit, offset);
  // A page that is not full is the last one, and tells how many there are.
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  return { total: isLast ? offset + rows.length : countMatches(db, match, condition), hits: rows };
};

/** The parts of the statement that ranks; `values` stand before the match. */
interface Ranking {
  readonly with: string;
  readonly values: readonly (string | number)[];
  readonly from: string;
  readonly lexical: string;
  readonly matched: string;
  /** Lets through what matches; takes the match expression. */
  readonly match: string;
}

const rankingForAll = ({ words }: ParsedQuery, mode: 'all' | 'any'): Ranking => {
  const from = 'search_text JOIN search_documents d ON d.id = search_text.rowid';
  const ranking = { lexical: score, match: 'search_text MATCH ?' };
  if (mode === 'all') return { ...ranking, with: '', values: [], from, matched: String(words.length) };
  const occurrences = words.map(() => 'SELECT rowid FROM search_text WHERE search_text MATCH ?').join(' UNION ALL ');
  return {
    ...ranking,
    with: `WITH words AS (SELECT rowid AS id, COUNT(*) AS n FROM (${occurrences}) GROUP BY rowid)`,
    values: words.map(wordExpression),
    from: `${from} JOIN words ON words.id = d.id`,
    matched: 'words.n',
  };
};

const rankingForReader = ({ sql, values }: SqlCondition): Ranking => ({
  with: `WITH ${sql}`,
  values,
  from: 'fits JOIN search_documents d ON d.id = fits.id',
  lexical: 'fits.lexical',
  matched: 'fits.matched',
  match: 'd.id IN (SELECT rowid FROM search_text WHERE search_text MATCH ?)',
});

/** How far a `feedback` block moves a document: it can settle what is nearly equal, never bury a good answer. */
export const feedbackWeight = 0.1;

const countMatches = (db: Database.Database, match: string, condition: ReturnType<typeof scopeCondition>): number =>
  db
    .prepare<unknown[], { n: number }>(
      `SELECT COUNT(*) AS n FROM search_text JOIN search_documents d ON d.id = search_text.rowid WHERE search_text MATCH ? AND ${condition.sql}`,
    )
    .get(match, ...condition.values)?.n ?? 0;

/** Documents by their paths, those that the scope lets through. */
export const documentsAt = (db: Database.Database, paths: readonly string[], scope: SearchScope): readonly FoundDocument[] => {
  const condition = scopeCondition(scope);
  return db
    .prepare<unknown[], FoundDocument>(
      `SELECT ${columns} FROM search_documents d WHERE d.path IN (SELECT value FROM json_each(?)) AND ${condition.sql} ORDER BY d.path`,
    )
    .all(JSON.stringify(paths), ...condition.values);
};

/** Every path that the scope lets through. */
export const pathsInScope = (db: Database.Database, scope: SearchScope): ReadonlySet<string> => {
  const condition = scopeCondition(scope);
  return new Set(
    db
      .prepare<unknown[], string>(`SELECT d.path FROM search_documents d WHERE ${condition.sql}`)
      .pluck()
      .all(...condition.values),
  );
};

/** The types that the index knows, null standing for Markdown of none. */
export const indexedTypes = (db: Database.Database): readonly (string | null)[] =>
  db.prepare<[], string | null>('SELECT DISTINCT type FROM search_documents').pluck().all();
