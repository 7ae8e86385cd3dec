export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonMap = { readonly [key: string]: Json };

/** An extension registry as its file holds it. */
export type Extension = JsonMap & { readonly registry: string };

export const isMap = (value: unknown): value is JsonMap => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deep equality of JSON values; key order does not matter. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => sameJson(x, b[i]));
  if (!isMap(a) || !isMap(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
};

/** Short, for messages. */
export const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** A text as it is, anything else as JSON. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));

/** Refuses members nothing reads. */
export const refuseUnknown = (value: JsonMap, known: readonly string[]): void => {
  const unknown = Object.keys(value).filter(key => !known.includes(key));
  if (unknown.length > 0) throw new Error(`unknown member ${unknown.join(', ')}; known are ${known.join(', ')}`);
};
