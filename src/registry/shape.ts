import { isMap } from '#document';
import type { FieldIssue } from '#errors';
import type { PlacedJson } from './json-reader.ts';

/** A rule a JSON member must keep; reports every breach, never throws. */
export type Shape = (value: unknown, path: readonly (string | number)[], report: Report) => void;
type Report = (path: readonly (string | number)[], issue: string) => void;

const article = (kind: string): string => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`);

/** What a value is, in the words our messages use. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return article(typeof value);
}

/** A non-empty string that keeps an optional rule; the rule answers with what is wrong, or null. */
export const text =
  (rule?: (value: string) => string | null): Shape =>
  (value, path, report) => {
    if (typeof value !== 'string') return report(path, `must be a string, is ${kindOf(value)}.`);
    if (value === '') return report(path, 'must not be empty.');
    const wrong = rule?.(value) ?? null;
    if (wrong !== null) report(path, wrong);
  };

export const flag: Shape = (value, path, report) => {
  if (typeof value !== 'boolean') report(path, `must be true or false, is ${kindOf(value)}.`);
};

export const positiveInteger: Shape = (value, path, report) => {
  if (!Number.isSafeInteger(value) || (value as number) < 1) report(path, 'must be a positive integer.');
};

export const oneOf =
  (allowed: readonly string[]): Shape =>
  (value, path, report) => {
    if (typeof value !== 'string' || !allowed.includes(value)) {
      report(path, `must be one of ${allowed.join(', ')}; is ${typeof value === 'string' ? `'${value}'` : kindOf(value)}.`);
    }
  };

/** A list without repeated elements. */
export const listOf =
  (element: Shape, options: { readonly nonEmpty?: string } = {}): Shape =>
  (value, path, report) => {
    if (!Array.isArray(value)) return report(path, `must be a list, is ${kindOf(value)}.`);
    if (value.length === 0 && options.nonEmpty !== undefined) report(path, options.nonEmpty);
    const seen = new Set<unknown>();
    value.forEach((entry, index) => {
      element(entry, [...path, index], report);
      if (seen.has(entry)) report([...path, index], `repeats ${JSON.stringify(entry)}.`);
      seen.add(entry);
    });
  };

/** A map from free keys, each kept to `key`, to values of one shape. */
export const mapOf =
  (key: (key: string) => string | null, element: Shape): Shape =>
  (value, path, report) => {
    if (!isMap(value)) return report(path, `must be a map, is ${kindOf(value)}.`);
    for (const [name, entry] of Object.entries(value)) {
      const wrong = key(name);
      if (wrong !== null) report([...path, name], wrong);
      element(entry, [...path, name], report);
    }
  };

/** A map with known keys only; an unknown key is an error because it would otherwise be ignored without a word. */
export const record =
  (shapes: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape =>
  (value, path, report) => {
    if (!isMap(value)) return report(path, `must be a map, is ${kindOf(value)}.`);
    for (const key of required) if (!Object.hasOwn(value, key)) report(path, `lacks the key '${key}'.`);
    for (const [key, entry] of Object.entries(value)) {
      const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined;
      if (shape === undefined) report([...path, key], `is not a known key here; allowed: ${Object.keys(shapes).join(', ')}.`);
      else shape(entry, [...path, key], report);
    }
  };

const named = (path: readonly (string | number)[]): string =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

/** Checks a read file against a shape. `root` is the field named by issues about the whole value. */
export function checkShape(json: PlacedJson, shape: Shape, root: string): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  shape(json.value, [], (path, issue) => {
    const field = named(path) || root;
    issues.push({ field, issue: `'${field}' ${issue}`, ...json.placeOf(path) });
  });
  return issues;
}
