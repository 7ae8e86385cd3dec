import { isMap, type Value } from './value.ts';

/** Deep equality of frontmatter values; the order of a map's keys does not count. */
export const sameValue = (left: Value, right: Value): boolean => {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, index) => sameValue(item, right[index] as Value));
  }
  if (!isMap(left) || !isMap(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(key => Object.hasOwn(right, key) && sameValue(left[key] as Value, right[key] as Value))
  );
};
