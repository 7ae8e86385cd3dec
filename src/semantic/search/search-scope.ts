import { tagKey } from './search-projection.ts';

/** What may be found: rights and filters together, so that counts never tell of what is hidden. */
export interface SearchScope {
  /** Qualified types the caller may read, null standing for Markdown of no known type; absent = every type. */
  readonly readable?: readonly (string | null)[];
  /** Also documents that are not `structural`. */
  readonly private: boolean;
  readonly types?: readonly string[] | undefined;
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  readonly status?: string | undefined;
  /** BCP-47; `de` also stands for `de-AT`. */
  readonly language?: string | undefined;
  /** Milliseconds; documents whose time is at or after it. */
  readonly since?: number | undefined;
  /** Milliseconds; documents whose time is before it. */
  readonly until?: number | undefined;
  /** The beginning of paths. */
  readonly prefix?: string | undefined;
}

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The scope as a condition on `search_documents d`. */
export const scopeCondition = (scope: SearchScope): SqlCondition => {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (sql: string, ...given: readonly (string | number)[]): void => {
    parts.push(sql);
    values.push(...given);
  };
  if (!scope.private) add(`d.portability = 'structural'`);
  if (scope.readable !== undefined) add(inList("COALESCE(d.type, '')"), JSON.stringify(scope.readable.map(type => type ?? '')));
  if (scope.types !== undefined) add(inList('d.type'), JSON.stringify(scope.types));
  const tags = new Set((scope.tags ?? []).map(tagKey));
  // One condition for all of them: SQLite refuses a statement of a thousand.
  if (tags.size > 0)
    add(`(SELECT COUNT(*) FROM search_tags t WHERE t.document = d.id AND ${inList('t.key')}) = ?`, JSON.stringify([...tags]), tags.size);
  if (scope.status !== undefined) add('d.status = ?', scope.status);
  if (scope.language !== undefined) {
    const language = scope.language.toLowerCase();
    add(`(LOWER(d.language) = ? OR SUBSTR(LOWER(d.language), 1, LENGTH(?) + 1) = ? || '-')`, language, language, language);
  }
  if (scope.since !== undefined) add('d.timestamp >= ?', scope.since);
  if (scope.until !== undefined) add('d.timestamp < ?', scope.until);
  if (scope.prefix !== undefined && scope.prefix !== '') add('SUBSTR(d.path, 1, LENGTH(?)) = ?', scope.prefix, scope.prefix);
  return { sql: parts.length === 0 ? '1' : parts.join(' AND '), values };
};

const inList = (expression: string): string => `${expression} IN (SELECT value FROM json_each(?))`;
