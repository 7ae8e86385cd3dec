import type Database from 'better-sqlite3';
import { phraseExpression } from './match-expression.ts';
import type { ParsedQuery } from './parse-query.ts';
import { columnWeights } from './search-projection.ts';
import { type SearchScope, type SqlCondition, scopeCondition } from './search-scope.ts';

/**
 * How well documents fit, weighed for a reader who may not see everything: as the common table expression `fits (id, lexical, matched)`. BM25 counts a word the more the rarer it
 * is in the whole index; whoever can write documents and see scores could read from that how often a word stands in documents hidden from them. Here
 * the rarity of each phrase is the one among the documents that the reader may see.
 */
export const fitsForReader = (db: Database.Database, query: ParsedQuery, scope: SearchScope): SqlCondition => {
  const rights = scopeCondition({ private: scope.private, ...(scope.readable === undefined ? {} : { readable: scope.readable }) });
  const all = countDocuments(db, '1', []);
  const seen = countDocuments(db, rights.sql, rights.values);
  const parts = query.words.flatMap(({ phrases }, word) =>
    phrases.map(phrase => {
      const match = phraseExpression(phrase);
      const rarity = rarityOf(seen, countPhrase(db, match, rights)) / rarityOf(all, countPhrase(db, match, everything));
      return { word, match, rarity };
    }),
  );
  const part = (word: number): string =>
    `SELECT rowid AS id, ${word} AS word, -bm25(search_text, ${columnWeights}) * ? AS fit FROM search_text WHERE search_text MATCH ?`;
  return {
    // Materialised, because SQLite would otherwise fold the parts into the sum, where BM25 cannot be asked for.
    sql: `parts AS MATERIALIZED (${parts.map(({ word }) => part(word)).join(' UNION ALL ')}),
      fits AS (SELECT id, SUM(fit) AS lexical, COUNT(DISTINCT word) AS matched FROM parts GROUP BY id)`,
    values: parts.flatMap(({ rarity, match }) => [rarity, match]),
  };
};

const everything: SqlCondition = { sql: '1', values: [] };

/** The weight that FTS5 gives a phrase which `having` of `all` documents have. */
const rarityOf = (all: number, having: number): number => Math.max(1e-6, Math.log((all - having + 0.5) / (having + 0.5)));

const countDocuments = (db: Database.Database, sql: string, values: SqlCondition['values']): number =>
  db
    .prepare<unknown[], number>(`SELECT COUNT(*) FROM search_documents d WHERE ${sql}`)
    .pluck()
    .get(...values) ?? 0;

const countPhrase = (db: Database.Database, match: string, { sql, values }: SqlCondition): number =>
  db
    .prepare<unknown[], number>(
      `SELECT COUNT(*) FROM search_text JOIN search_documents d ON d.id = search_text.rowid WHERE search_text MATCH ? AND ${sql}`,
    )
    .pluck()
    .get(match, ...values) ?? 0;
