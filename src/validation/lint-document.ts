import type { Document, ParsedFile } from '#document';
import type { FieldIssue } from '#errors';
import { conditionHolds, type Definition, type Registry } from '#registry';
import { fieldValue, issueAt, shown, sortIssues } from './field-issue.ts';
import { linkIssues } from './lint-links.ts';
import { nameIssues } from './lint-names.ts';
import { definitionOf } from './references.ts';

/** A stored file and what its surroundings answer. */
export interface LintInput {
  /** Vault-relative path of the file. */
  readonly path: string;
  readonly parsed: ParsedFile;
  readonly registry: Registry;
  /** Whether the vault holds this path. */
  readonly exists: (path: string) => boolean;
}

/**
 * The standard's SHOULDs for one document: names (§4.4, §13), UTC timestamps, links and citations (§4.3), language-neutral memory
 * triples (§5.4), trigger identities (§5.4). Advice only; no rule here ever decides a verdict.
 */
export function lintDocument({ path, parsed, registry, exists }: LintInput): readonly FieldIssue[] {
  if (parsed.kind !== 'document') return [];
  const { document } = parsed;
  const definition = definitionOf(document.data, registry);
  return sortIssues([
    ...(definition === null ? [] : nameIssues(path, document, definition)),
    ...(definition === null ? [] : tripleIssues(document, definition)),
    ...(definition === null ? [] : triggerIdentityIssues(document, definition)),
    ...timestampIssues(document),
    ...linkIssues(path, document, definition, exists),
  ]);
}

const timeFields = [
  'timestamp',
  'created_at',
  'detected_at',
  'released_at',
  'scheduled_for',
  'started_at',
  'ended_at',
  'claimed_at',
  'next_attempt_at',
];
const timeWithoutZ = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}.*)?(?<!Z)$/;

function timestampIssues(document: Document): readonly FieldIssue[] {
  return timeFields.flatMap(field => {
    const value = fieldValue(document.data, field);
    if (typeof value !== 'string' || !timeWithoutZ.test(value)) return [];
    return [
      issueAt(
        document,
        field,
        `Field '${field}' should be a full UTC time that ends in Z, such as 2026-05-16T14:03:00Z; is ${shown(value)}.`,
      ),
    ];
  });
}

function tripleIssues(document: Document, definition: Definition): readonly FieldIssue[] {
  if (definition.qualified !== 'ssss:memory' || !conditionHolds('schema_version==2', document.data)) return [];
  return ['subject', 'predicate', 'object'].flatMap(field => {
    const value = fieldValue(document.data, field);
    if (typeof value !== 'string' || !/\s/.test(value)) return [];
    return [
      issueAt(
        document,
        field,
        `Field '${field}' should be a language-neutral identifier such as file_system, not prose; is ${shown(value)}.`,
      ),
    ];
  });
}

function triggerIdentityIssues(document: Document, definition: Definition): readonly FieldIssue[] {
  const triggers = fieldValue(document.data, 'triggers');
  if (definition.qualified !== 'ssss:workflow' || !Array.isArray(triggers)) return [];
  return (triggers as readonly unknown[]).flatMap((entry, index) => {
    if (typeof entry !== 'object' || entry === null || Object.hasOwn(entry, 'id') || Object.hasOwn(entry, 'trigger_id')) return [];
    return [
      issueAt(
        document,
        'triggers',
        `Entry ${index + 1} of 'triggers' should have an 'id': without one its tasks lose their identity when the schedule is edited.`,
      ),
    ];
  });
}
