import { isMap, type Json, type JsonMap, sameJson, show } from './json.ts';

/**
 * Compares an expectation with what came: maps match in the members they name, `{"$matches": regex}` a text, `{"$exactly": value}` that value
 * and nothing more, everything else by equality. Gives one sentence per difference.
 */
export const differences = (expected: unknown, actual: unknown, at = ''): readonly string[] => {
  if (isMap(expected)) {
    if (typeof expected.$matches === 'string') return matches(expected.$matches, actual, at);
    if (Object.hasOwn(expected, '$exactly')) return equal(expected.$exactly, actual, at);
    if (Object.keys(expected).length === 0) return equal(expected, actual, at);
    if (!isMap(actual)) return [`${at}: expected ${show(expected)}, got ${show(actual)}`];
    return Object.entries(expected).flatMap(([key, value]) => differences(value, own(actual, key), at === '' ? key : `${at}.${key}`));
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.some(isMap) && expected.length === actual.length) {
    return expected.flatMap((value, index) => differences(value, actual[index], `${at}[${index}]`));
  }
  return equal(expected, actual, at);
};

const own = (map: JsonMap, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);

const matches = (pattern: string, actual: unknown, at: string): readonly string[] =>
  typeof actual === 'string' && new RegExp(pattern, 'u').test(actual) ? [] : [`${at}: expected /${pattern}/, got ${show(actual)}`];

const equal = (expected: unknown, actual: unknown, at: string): readonly string[] =>
  sameJson(expected, actual) ? [] : [`${at}: expected ${show(expected)}, got ${show(actual)}`];
