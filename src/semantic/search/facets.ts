import type Database from 'better-sqlite3';
import type { LexicalAnswer } from './lexical-search.ts';
import { matchExpression } from './match-expression.ts';
import type { ParsedQuery } from './parse-query.ts';
import { type SearchScope, scopeCondition } from './search-scope.ts';

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** How many of all found documents there are of each kind, the commonest first; documents without a value are not counted. */
export interface Facets {
  readonly type: readonly FacetCount[];
  readonly tag: readonly FacetCount[];
  readonly status: readonly FacetCount[];
  readonly language: readonly FacetCount[];
}

const mostValues = 100;

/** Counts over everything that was found: by words as `mode` says, and the documents at `also`, which were found by meaning. */
export const countFacets = (
  db: Database.Database,
  request: {
    readonly query: ParsedQuery;
    readonly mode: LexicalAnswer['mode'];
    readonly scope: SearchScope;
    readonly also: readonly string[];
  },
): Facets => {
  const condition = scopeCondition(request.scope);
  const byWords =
    request.query.words.length === 0
      ? { sql: '', values: [] }
      : {
          sql: 'd.id IN (SELECT rowid FROM search_text WHERE search_text MATCH ?) OR',
          values: [matchExpression(request.query, request.mode)],
        };
  const found = `FROM search_documents d WHERE (${byWords.sql} d.path IN (SELECT value FROM json_each(?))) AND ${condition.sql}`;
  const values = [...byWords.values, JSON.stringify(request.also), ...condition.values];
  const count = (select: string): readonly FacetCount[] =>
    db.prepare<unknown[], FacetCount>(`${select} ORDER BY count DESC, value LIMIT ${mostValues}`).all(...values);
  const column = (name: string): readonly FacetCount[] =>
    count(`SELECT value, COUNT(*) AS count FROM (SELECT d.${name} AS value ${found}) WHERE value IS NOT NULL GROUP BY value`);
  return {
    type: column('type'),
    tag: count(
      `SELECT MIN(t.tag) AS value, COUNT(*) AS count FROM search_tags t WHERE t.document IN (SELECT d.id ${found}) GROUP BY t.key`,
    ),
    status: column('status'),
    language: column('language'),
  };
};
