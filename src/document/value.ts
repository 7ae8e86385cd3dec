/** A frontmatter value (§4.5). Maps have null prototypes, so `__proto__` and `constructor` are ordinary keys. */
export type Value = null | boolean | number | string | readonly Value[] | FrontmatterMap;

/** A frontmatter map; always created by `emptyMap`, tested with `hasKey`. */
export interface FrontmatterMap {
  readonly [key: string]: Value;
}

/** A fresh map without a prototype. */
export const emptyMap = (): Record<string, Value> => Object.create(null) as Record<string, Value>;

/** Own-property test that works on null-prototype maps. */
export const hasKey = (map: object, key: string): boolean => Object.hasOwn(map, key);

/** A map value: an object that is not an array. */
export const isMap = (value: unknown): value is FrontmatterMap => typeof value === 'object' && value !== null && !Array.isArray(value);
