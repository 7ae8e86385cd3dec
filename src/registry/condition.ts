import { type FrontmatterMap, hasKey, type Value } from '#document';

/** Splits `"<field>==<value>"` at its first `==`; null when it has no field or spaces around the operator (§5.6, readings: conditions). */
export function parseCondition(condition: string): { readonly field: string; readonly value: string } | null {
  const at = condition.indexOf('==');
  if (at < 1) return null;
  const [field, value] = [condition.slice(0, at), condition.slice(at + 2)];
  return field.trim() === field && value !== '' && value.trim() === value ? { field, value } : null;
}

/**
 * Whether a `required_when` condition holds: the field, or any element of its list, spells the value. Compared as text so that neither
 * `schema_version: "2"` nor `encoding: [none]` slips past a rule meant for it (readings: conditions).
 */
export function conditionHolds(condition: string, data: FrontmatterMap): boolean {
  const parsed = parseCondition(condition);
  if (parsed === null || !hasKey(data, parsed.field)) return false;
  const value = data[parsed.field] ?? null;
  const elements: readonly Value[] = Array.isArray(value) ? value : [value as Value];
  return elements.some(element => (element === null || typeof element !== 'object') && String(element) === parsed.value);
}
