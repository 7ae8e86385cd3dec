import { type Document, type FrontmatterMap, hasKey, isMap, type Value } from '#document';
import type { FieldIssue } from '#errors';

/** An issue at the line of a frontmatter key; at the opening fence when the key is absent. */
export const issueAt = (document: Document, field: string, issue: string): FieldIssue => ({
  field,
  issue,
  line: document.lineOf(field) ?? 1,
});

const compare = <T extends string | number>(left: T, right: T): number => (left < right ? -1 : left > right ? 1 : 0);

/** One order for equal sets of issues, whatever order the rules ran in: by place, then field, then text (§9, same input same verdict). */
export const sortIssues = (issues: readonly FieldIssue[]): readonly FieldIssue[] =>
  issues.toSorted(
    (left, right) =>
      compare(left.line ?? 0, right.line ?? 0) ||
      compare(left.column ?? 0, right.column ?? 0) ||
      compare(left.field, right.field) ||
      compare(left.issue, right.issue),
  );

/** A value as a message shows it, shortened so that one huge value cannot fill a terminal. */
export function shown(value: Value | undefined): string {
  if (typeof value === 'object' && value !== null) return isMap(value) ? 'a map' : 'a list';
  const text = typeof value === 'string' ? `'${value}'` : String(value ?? null);
  return text.length > 80 ? `${text.slice(0, 77)}…'` : text;
}

/** The field's value; undefined when the key is absent. Never an inherited member. */
export const fieldValue = (data: FrontmatterMap, field: string): Value | undefined => (hasKey(data, field) ? data[field] : undefined);

/** A list's elements, or the value itself as the only one. */
export const elementsOf = (value: Value): readonly Value[] => (Array.isArray(value) ? value : [value]);
