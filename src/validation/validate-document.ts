import { conflictMarkers, type Document, hasKey, isMap, type ParsedFile, type Value } from '#document';
import type { FieldIssue } from '#errors';
import { checkPrimitive, type Definition, type Registry } from '#registry';
import { contentWarnings } from './content-warnings.ts';
import { fieldValue, issueAt, shown, sortIssues } from './field-issue.ts';
import { enumIssues, isEmpty, patternIssues, presenceIssues } from './field-rules.ts';
import { definitionOf, type ReferencedSnapshot, referenceIssues } from './references.ts';

/** The outcome of validating one document: every problem at once, each with its field, line and remedy (§9). */
export interface Verdict {
  readonly valid: boolean;
  readonly definition: Definition | null;
  /** Qualified type, also of an invalid document when its type resolves. */
  readonly type: string | null;
  readonly errors: readonly FieldIssue[];
  /** Never block a commit. */
  readonly warnings: readonly FieldIssue[];
}

/**
 * Decides whether a document is valid: the eight rules of §9 and nothing else, but that unresolved git conflict markers are refused too
 * (readings: conflict markers). A pure function of document, registry and looked-up snapshots; equal input gives an equal verdict, byte
 * for byte.
 *
 * @param lookup answers for every path of `referencedPaths`
 */
export function validateDocument(parsed: ParsedFile, registry: Registry, lookup: (path: string) => ReferencedSnapshot | null): Verdict {
  if (parsed.kind === 'ordinary') return refused([{ field: 'type', issue: ordinaryMessage(parsed.reason), line: 1 }]);
  if (parsed.kind === 'invalid') {
    // A merge left half done makes any number of syntax errors; the markers are what the author has to see.
    const markers = conflictMarkers(parsed.text);
    return refused(markers.length > 0 ? markers : parsed.issues);
  }
  const { document } = parsed;
  const definition = definitionOf(document.data, registry);
  const errors = [
    ...conflictMarkers(document.text),
    ...(definition === null ? typeIssues(document, registry) : []),
    ...presenceIssues(document, registry, definition),
    ...bodyKeyIssues(document),
    ...(definition === null ? [] : definitionIssues(document, registry, definition, lookup)),
  ];
  return {
    valid: errors.length === 0,
    definition,
    type: definition?.qualified ?? null,
    errors: sortIssues(errors),
    warnings: sortIssues([...document.warnings, ...contentWarnings(document, registry, definition)]),
  };
}

const refused = (errors: readonly FieldIssue[]): Verdict => ({
  valid: false,
  definition: null,
  type: null,
  errors: sortIssues(errors),
  warnings: [],
});

const ordinaryMessage = (reason: string): string =>
  `No frontmatter: ${reason} Begin the file with a line '---', the fields (at least type, title, description, timestamp), and a closing line '---'.`;

function definitionIssues(
  document: Document,
  registry: Registry,
  definition: Definition,
  lookup: (path: string) => ReferencedSnapshot | null,
): readonly FieldIssue[] {
  const meta = definition.qualified === 'ssss:primitive' ? checkPrimitive(document.data) : [];
  return [
    ...enumIssues(document, definition),
    ...patternIssues(document, registry, definition),
    ...referenceIssues(document, registry, definition, lookup),
    ...meta.map(({ field, issue }) => issueAt(document, field, issue)),
  ];
}

/** Rule 2, for a type that did not resolve. */
function typeIssues(document: Document, registry: Registry): readonly FieldIssue[] {
  const type = fieldValue(document.data, 'type');
  const known = registry.documentTypes.map(definition => (definition.namespace === 'ssss' ? definition.type : definition.qualified));
  const remedy = `Use one of: ${known.toSorted((left, right) => (left < right ? -1 : 1)).join(', ')}.`;
  if (type === undefined) return [issueAt(document, 'type', `Missing required field 'type'. ${remedy}`)];
  if (isEmpty(type)) return [issueAt(document, 'type', `Required field 'type' is empty. ${remedy}`)];
  if (typeof type !== 'string') return [issueAt(document, 'type', `Field 'type' must be a string, but is ${shown(type)}. ${remedy}`)];
  const contract = registry.contractTypes.some(definition => type === definition.type || type === definition.qualified);
  const what = contract ? `'${type}' is a structure of the contract, not a type of document.` : `Unknown type ${shown(type)}.`;
  return [issueAt(document, 'type', `${what} ${remedy}`)];
}

/** `__body__` means the body in a patch; as a frontmatter key, at any depth, it could not be patched back (readings: reserved keys). */
function bodyKeyIssues(document: Document): readonly FieldIssue[] {
  return Object.entries(document.data).flatMap(([field, value]) => {
    if (field !== '__body__' && !holdsBodyKey(value)) return [];
    const where = field === '__body__' ? "'__body__'" : `'${field}' holds the key '__body__', which`;
    return [issueAt(document, field, `${where} is reserved for the body in a patch and can never be a frontmatter key. Rename it.`)];
  });
}

function holdsBodyKey(value: Value): boolean {
  if (Array.isArray(value)) return value.some(holdsBodyKey);
  return isMap(value) && (hasKey(value, '__body__') || Object.values(value).some(holdsBodyKey));
}
