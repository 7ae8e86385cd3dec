import { type Document, type ParsedFile, parseDocument, sameValue } from '#document';
import type { FieldIssue } from '#errors';
import type { Definition, Registry } from '#registry';
import { fieldValue, issueAt, shown, sortIssues } from './field-issue.ts';
import { definitionOf } from './references.ts';

/** A proposed change of an existing file. */
export interface Change {
  readonly before: ParsedFile;
  readonly after: ParsedFile;
  /** The keys of a patch; null for an operation. */
  readonly patchedKeys: readonly string[] | null;
  readonly registry: Registry;
}

/**
 * The rules of stage 4 that need the stored document too (§9): no change of type, of an immutable field, or of what an append-type
 * document already holds. Says nothing about files that are no documents; validation does.
 */
export function checkChange({ before, after, patchedKeys, registry }: Change): readonly FieldIssue[] {
  if (before.kind !== 'document' || after.kind !== 'document') return [];
  const stored = before.document;
  const proposed = after.document;
  const changed = typeChange(stored, proposed, registry);
  if (changed !== null) return [changed];
  const definition = definitionOf(stored.data, registry);
  if (definition === null) return [];
  return sortIssues([...immutableIssues(stored, proposed, definition), ...appendIssues(stored, proposed, definition, patchedKeys)]);
}

function typeChange(stored: Document, proposed: Document, registry: Registry): FieldIssue | null {
  // Compared by identity: `rule` and `ssss:rule` are one type, and switching the spelling is no change (readings: types and names).
  const identity = (document: Document) => definitionOf(document.data, registry)?.qualified ?? fieldValue(document.data, 'type');
  const [was, is] = [identity(stored), identity(proposed)];
  if (was === undefined || is === undefined || sameValue(was, is)) return null;
  return issueAt(
    proposed,
    'type',
    `A change cannot turn a ${shown(was)} into a ${shown(is)}. Keep the type, or write a new document at another path.`,
  );
}

function immutableIssues(stored: Document, proposed: Document, definition: Definition): readonly FieldIssue[] {
  return definition.immutable_fields.flatMap(field => {
    const was = fieldValue(stored.data, field);
    const is = fieldValue(proposed.data, field);
    if (was === undefined || (is !== undefined && sameValue(was, is))) return [];
    const change = is === undefined ? 'cannot be removed' : `cannot become ${shown(is)}`;
    return [issueAt(proposed, field, `Field '${field}' of a '${definition.type}' is immutable: it is ${shown(was)} and ${change}.`)];
  });
}

function appendIssues(
  stored: Document,
  proposed: Document,
  definition: Definition,
  patchedKeys: readonly string[] | null,
): readonly FieldIssue[] {
  if (!definition.append_only || stored.text === proposed.text) return [];
  if (patchedKeys === null) {
    const issue = `A '${definition.type}' is append-only and cannot be replaced. Send a patch whose '__body__' holds the new records.`;
    return [{ field: 'body', issue, line: proposed.bodyLine }];
  }
  if (proposed.body.startsWith(stored.body)) return [];
  return [
    { field: 'body', issue: `A '${definition.type}' is append-only: its existing records must stay as they are.`, line: proposed.bodyLine },
  ];
}

/** `index.md` has no frontmatter; one that has some would hide a document from every check (§4.3, readings: index pages). */
export function checkIndexContent(text: string): readonly FieldIssue[] {
  if (parseDocument(text).kind === 'ordinary') return [];
  const issue = "An 'index.md' has no frontmatter. Remove the block, or write the document under another name.";
  return [{ field: 'frontmatter', issue, line: 1 }];
}
