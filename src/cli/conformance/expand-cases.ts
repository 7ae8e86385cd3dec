import { isMap, type Json, type JsonMap, show } from './json.ts';
import { documentText, type MinimalDocuments } from './scenario-document.ts';

/** What a case puts into the scenario; `name` is its part of the id. */
export type Case = JsonMap & { readonly name: string };

/**
 * Replaces the variables of one case in a scenario's data: `{"$case": "x"}` becomes the value of x, `{"$spread": "x"}` in a list becomes its
 * items, `{"$merge": "x", …}` takes its members, `{{x}}` in a text or a key becomes its text. Documents are built last.
 */
export const expandCase = (value: Json, variables: JsonMap, minimal: MinimalDocuments): Json =>
  buildDocuments(substitute(value, variables), minimal);

const substitute = (value: Json, variables: JsonMap): Json => {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.flatMap((item: Json) => spread(item, variables));
  if (!isMap(value)) return value;
  if (typeof value.$case === 'string') return substitute(variable(value.$case, variables), variables);
  const merged = typeof value.$merge === 'string' ? mapOf(value.$merge, variables) : {};
  const own = Object.entries(value).filter(([key]) => key !== '$merge');
  // Built from entries, so that a key like `__proto__` stays an own key.
  return Object.fromEntries(
    [...Object.entries(merged), ...own].map(([key, item]) => [interpolate(key, variables), substitute(item, variables)]),
  );
};

const spread = (item: Json, variables: JsonMap): readonly Json[] => {
  if (!isMap(item) || typeof item.$spread !== 'string') return [substitute(item, variables)];
  const items = substitute(variable(item.$spread, variables), variables);
  if (!Array.isArray(items)) throw new Error(`"$spread": '${item.$spread}' is no list`);
  return items;
};

const mapOf = (name: string, variables: JsonMap): JsonMap => {
  const value = variable(name, variables);
  if (!isMap(value)) throw new Error(`"$merge": '${name}' is ${show(value)}, not a map`);
  return value;
};

const variable = (name: string, variables: JsonMap): Json => {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value === undefined) throw new Error(`no case has a variable '${name}'`);
  return value;
};

// Names no case has (`{{n}}` of a race) are left for the runner.
const interpolate = (text: string, variables: JsonMap): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined ? whole : typeof value === 'string' ? value : JSON.stringify(value);
  });

const buildDocuments = (value: Json, minimal: MinimalDocuments): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => buildDocuments(item, minimal));
  if (!isMap(value)) return value;
  return (
    documentText(value, minimal) ?? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, buildDocuments(item, minimal)]))
  );
};
