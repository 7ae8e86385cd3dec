import { checkPath, type Document, type FrontmatterMap, type ParsedFile, type Value } from '#document';
import type { FieldIssue } from '#errors';
import { type Definition, effectivePortability, type PortabilityClass, type ReferenceRule, type Registry } from '#registry';
import { elementsOf, fieldValue, issueAt, shown } from './field-issue.ts';

/** What a verdict may know about a referenced document; supplied by the caller so that validation stays pure (readings: references). */
export interface ReferencedSnapshot {
  /** Qualified type; null when the target is no document of a known type. */
  readonly type: string | null;
  readonly portability: PortabilityClass | null;
  /** `sha256:<hex>` of the stored bytes. */
  readonly hash: string;
}

/** The definition a document's `type` names, bare, qualified or by alias; null when it names none (§5.6). */
export function definitionOf(data: FrontmatterMap, registry: Registry): Definition | null {
  const type = fieldValue(data, 'type');
  return typeof type === 'string' ? registry.resolve(type) : null;
}

/** The snapshot of a stored document, for the documents that refer to it. */
export function snapshotOf(parsed: ParsedFile, hash: string, registry: Registry): ReferencedSnapshot {
  const definition = parsed.kind === 'document' ? definitionOf(parsed.document.data, registry) : null;
  if (parsed.kind !== 'document' || definition === null) return { type: null, portability: null, hash };
  return { type: definition.qualified, portability: effectivePortability(definition, parsed.document.data), hash };
}

/** The safe paths a document's verdict depends on, sorted: what a caller loads before it validates. */
export function referencedPaths(parsed: ParsedFile, registry: Registry): readonly string[] {
  const definition = parsed.kind === 'document' ? definitionOf(parsed.document.data, registry) : null;
  if (parsed.kind !== 'document' || definition === null) return [];
  const { data } = parsed.document;
  const values = Object.keys(definition.references).flatMap(field => elementsOf(fieldValue(data, field) ?? null));
  const paths = values.filter((value): value is string => typeof value === 'string' && checkPath(value) === null);
  return [...new Set(paths)].toSorted((left, right) => (left < right ? -1 : 1));
}

/** Rule 7: reference fields name safe paths of existing documents of an allowed type, class and content. */
export function referenceIssues(
  document: Document,
  registry: Registry,
  definition: Definition,
  lookup: (path: string) => ReferencedSnapshot | null,
): readonly FieldIssue[] {
  return Object.entries(definition.references).flatMap(([field, rule]) => {
    const value = fieldValue(document.data, field);
    if (value === undefined) return [];
    const pins = rule.hash_field === undefined ? undefined : fieldValue(document.data, rule.hash_field);
    return elementsOf(value).flatMap((path, index) => {
      const unsafe = typeof path === 'string' ? checkPath(path) : 'it is no string.';
      if (typeof path !== 'string' || unsafe !== null) return [issueAt(document, field, unsafeMessage(field, path, unsafe))];
      const target = lookup(path);
      if (target === null) return rule.must_exist === false ? [] : [issueAt(document, field, missingMessage(field, path))];
      const pin = Array.isArray(value) && Array.isArray(pins) ? pins[index] : pins;
      return [
        ...targetIssues(rule, target, registry).map(issue => issueAt(document, field, `Field '${field}' refers to '${path}', ${issue}`)),
        ...(rule.hash_field === undefined ? [] : pinIssues(document, rule.hash_field, pin, path, target)),
      ];
    });
  });
}

const unsafeMessage = (field: string, path: Value, reason: string | null): string =>
  `Field '${field}' must hold vault-relative document paths without a leading '/'; ${shown(path)} cannot be one: ${reason}`;

const missingMessage = (field: string, path: string): string =>
  `Field '${field}' refers to '${path}', which does not exist. Create that document first, or correct the path.`;

function targetIssues(rule: ReferenceRule, target: ReferencedSnapshot, registry: Registry): readonly string[] {
  // A rule may spell a type bare or qualified; two spellings of one type must compare equal (readings: references).
  const qualified = (names: readonly string[]): readonly string[] => names.map(name => registry.resolve(name)?.qualified ?? name);
  const issues: string[] = [];
  const is = target.type === null ? 'which is no document of a known type' : `which is a '${target.type}'`;
  const { allowed_types: types, disallowed_types: barred, allowed_portability: classes } = rule;
  if (types !== undefined && (target.type === null || !qualified(types).includes(target.type))) {
    issues.push(`${is}. Refer to one of: ${qualified(types).join(', ')}.`);
  }
  if (barred !== undefined && target.type !== null && qualified(barred).includes(target.type)) {
    issues.push(`${is}. Do not refer to: ${qualified(barred).join(', ')}.`);
  }
  if (classes !== undefined && (target.portability === null || !classes.includes(target.portability))) {
    issues.push(`whose portability is ${target.portability ?? 'unknown'}. Refer to a document that is: ${classes.join(', ')}.`);
  }
  return issues;
}

function pinIssues(
  document: Document,
  field: string,
  pin: Value | undefined,
  path: string,
  target: ReferencedSnapshot,
): readonly FieldIssue[] {
  if (pin === target.hash) return [];
  const is = pin === undefined ? 'is missing' : `is ${shown(pin)}`;
  return [issueAt(document, field, `Field '${field}' must be the current content hash of '${path}', ${target.hash}; it ${is}.`)];
}
