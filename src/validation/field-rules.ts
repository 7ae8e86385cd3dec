import type { Document, Value } from '#document';
import type { FieldIssue } from '#errors';
import { conditionHolds, type Definition, type EnumValue, type Registry } from '#registry';
import { elementsOf, fieldValue, issueAt, shown } from './field-issue.ts';

/** Null, empty text and `[]` only; `[]` fills a field that its type lists in `allow_empty` (§9, readings: empty values). */
export const isEmpty = (value: Value | undefined, emptyListCounts = false): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0 && !emptyListCounts);

/** Rules 3 and 4: universal, required and conditionally required fields are present and non-empty. */
export function presenceIssues(document: Document, registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  const reasons = new Map<string, string>();
  for (const field of registry.universalFields) if (field !== 'type') reasons.set(field, 'every document has it');
  if (definition !== null) {
    for (const field of definition.required_fields) reasons.set(field, `the type '${definition.type}' requires it`);
    for (const [condition, fields] of Object.entries(definition.required_when)) {
      if (!conditionHolds(condition, document.data)) continue;
      const [name, value] = condition.split(/==(.*)/s);
      for (const field of fields)
        if (!reasons.has(field)) reasons.set(field, `the type '${definition.type}' requires it when '${name}' is '${value}'`);
    }
  }
  return [...reasons].flatMap(([field, reason]) => {
    const value = fieldValue(document.data, field);
    if (!isEmpty(value, definition?.allow_empty.includes(field))) return [];
    const remedy = `${reason}${allowedHint(definition, field)}`;
    if (value === undefined) return [issueAt(document, field, `Missing required field '${field}'. Add it to the frontmatter: ${remedy}.`)];
    return [issueAt(document, field, `Required field '${field}' is empty. Give it a value: ${remedy}.`)];
  });
}

const allowedHint = (definition: Definition | null, field: string): string => {
  const allowed = definition?.enums[field];
  return allowed === undefined ? '' : `; allowed: ${listed(allowed)}`;
};

const listed = (values: readonly EnumValue[]): string => values.map(String).join(', ');

/** Rule 5: present fields with an enum take allowed values only, lists element by element, types never coerced (readings: enums). */
export function enumIssues(document: Document, definition: Definition): readonly FieldIssue[] {
  const conditional = Object.entries(definition.enums_when).filter(([condition]) => conditionHolds(condition, document.data));
  const enums = [...Object.entries(definition.enums), ...conditional.flatMap(([, fields]) => Object.entries(fields))];
  return enums.flatMap(([field, allowed]) => {
    const value = fieldValue(document.data, field);
    if (value === undefined) return [];
    const wrong = elementsOf(value).filter(element => !(allowed as readonly Value[]).includes(element));
    return wrong.map(element =>
      issueAt(document, field, `Field '${field}' does not allow ${shown(element)}. Use one of: ${listed(allowed)}.`),
    );
  });
}

/** Rule 6: present fields with a pattern match it; only strings can, lists element by element (readings: patterns). */
export function patternIssues(document: Document, registry: Registry, definition: Definition): readonly FieldIssue[] {
  return Object.entries(definition.patterns).flatMap(([field, source]) => {
    const value = fieldValue(document.data, field);
    const matches = registry.patternMatcher(definition, field);
    if (value === undefined || matches === null) return [];
    return elementsOf(value)
      .filter(element => typeof element !== 'string' || !matches(element))
      .map(element => {
        const why = typeof element === 'string' ? '' : ' Only a string can match; put the value in quotes.';
        return issueAt(document, field, `Field '${field}' must match the pattern ${source}, but is ${shown(element)}.${why}`);
      });
  });
}
