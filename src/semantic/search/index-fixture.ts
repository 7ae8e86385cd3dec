import type BetterSqlite from 'better-sqlite3';
import Database from 'better-sqlite3';
import { hashContent, parseDocument } from '#document';
import type { DocumentProjection, FileChange } from '#projections';
import { composeRegistry, type Registry } from '#registry';

/** A Markdown file as projections are given it; null = gone. */
const fileChange = (path: string, text: string | null): FileChange => ({
  path,
  file: text === null ? null : { kind: 'markdown', path, hash: hashContent(text), parsed: parseDocument(text) },
});

/** A document of a structural type with a title, other frontmatter lines, and a body. */
export const ruleText = (title: string, body: string, lines: readonly string[] = []): string =>
  [
    '---',
    'type: rule',
    `title: ${JSON.stringify(title)}`,
    'description: D',
    'timestamp: 2026-05-16T14:00:00Z',
    ...lines,
    '---',
    '',
    body,
    '',
  ].join('\n');

export interface OpenIndex {
  readonly db: BetterSqlite.Database;
  readonly projection: DocumentProjection;
  /** Takes over files by path; null = gone. */
  readonly apply: (changed: Readonly<Record<string, string | null>>) => void;
}

/** A database in memory with one projection, filled with files. */
export const openIndex = (make: (registry: Registry) => DocumentProjection, files: Readonly<Record<string, string>> = {}): OpenIndex => {
  const projection = make(composeRegistry({ extensions: [] }));
  const db = new Database(':memory:');
  projection.create(db);
  const apply = (changed: Readonly<Record<string, string | null>>): void =>
    projection.apply(
      db,
      Object.entries(changed).map(([path, text]) => fileChange(path, text)),
    );
  apply(files);
  return { db, projection, apply };
};
