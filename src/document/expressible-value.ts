import { VaultError } from '#errors';
import { bodyKey, maximumDepth } from './frontmatter-limits.ts';
import { isWellFormed } from './utf8.ts';
import { emptyMap, type Value } from './value.ts';

/**
 * A JSON value as a frontmatter value on null-prototype maps, -0 as 0. What frontmatter cannot hold is `invalid_request` naming its place
 * (readings: writing frontmatter, request hash); the body's patch key inside a value is `validation_failed` (readings: reserved keys).
 */
export const toExpressible = (value: unknown, place: string, depth: number): Value => {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return isWellFormed(value) ? value : refuse(place, 'is a text with a lone surrogate');
  if (typeof value === 'number') return toNumber(value, place);
  if (typeof value !== 'object')
    return refuse(place, `is ${value === undefined ? 'undefined' : `a ${typeof value}`}, which frontmatter cannot hold`);
  if (depth > maximumDepth) return refuse(place, `is nested deeper than ${maximumDepth} levels`);
  if (Array.isArray(value)) return Array.from(value, (item, index) => toExpressible(item, `${place}[${index}]`, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return refuse(place, 'is an object of a class, which frontmatter cannot hold');
  const map = emptyMap();
  for (const key of Object.keys(value)) {
    checkKey(key, place);
    map[key] = toExpressible((value as Record<string, unknown>)[key], `${place}.${key}`, depth + 1);
  }
  return map;
};

const toNumber = (value: number, place: string): number => {
  if (!Number.isFinite(value)) return refuse(place, `is ${value}, which frontmatter cannot hold`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return refuse(place, 'is an integer beyond ±(2^53−1): send it as a string');
  return value + 0;
};

/** Refuses what cannot be a frontmatter key: the empty text, control characters, line breaks, lone surrogates (readings: reserved keys). */
export const checkKey = (key: string, place: string): void => {
  if (key === bodyKey) {
    const issue = `'${bodyKey}' names the body and cannot be a frontmatter key.`;
    throw new VaultError('validation_failed', { issues: [{ field: place === '' ? bodyKey : place, issue }] }, issue);
  }
  const where = place === '' ? 'the frontmatter' : `'${place}'`;
  if (key === '') throw refusal(`A key in ${where} is empty.`, place);
  if (/[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(key)) throw refusal(`A key in ${where} holds a control character or a line break.`, place);
  if (!isWellFormed(key)) throw refusal(`A key in ${where} holds a lone surrogate.`, place);
};

const refuse = (place: string, reason: string): never => {
  throw refusal(`'${place}' ${reason}.`, place);
};

const refusal = (message: string, place: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field: place === '' ? 'frontmatter' : place, issue: message }] }, message);
