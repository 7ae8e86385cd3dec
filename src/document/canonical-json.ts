import { VaultError } from '#errors';
import { isWellFormed } from './utf8.ts';

// Deep enough for any honest payload, shallow enough that recursion cannot exhaust the stack.
const maximumDepth = 512;

/**
 * RFC 8785 text of a JSON value: keys in UTF-16 code unit order, numbers in their shortest ECMAScript form, no spaces.
 * Members that are `undefined` are left out, as in JSON. What has no such text (a lone surrogate, a number that is not
 * finite, anything but JSON's own kinds) is `invalid_request`.
 *
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export const canonicalJson = (value: unknown): string => write(value, 0);

const refuse = (what: string): never => {
  throw new VaultError('invalid_request', {}, `Not a JSON value: ${what}.`);
};

const write = (value: unknown, depth: number): string => {
  if (depth > maximumDepth) return refuse(`nested deeper than ${maximumDepth} levels`);
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : refuse(`the number ${value}`);
    case 'string':
      return isWellFormed(value) ? JSON.stringify(value) : refuse('a text with a lone surrogate');
    case 'object':
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
    default:
      return refuse(`a ${typeof value}`);
  }
};

const writeArray = (items: readonly unknown[], depth: number): string => {
  const texts: string[] = [];
  for (let index = 0; index < items.length; index++) texts.push(write(items[index], depth + 1));
  return `[${texts.join(',')}]`;
};

const writeObject = (value: object, depth: number): string => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return refuse('an object of a class');
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    members.push(`${write(key, depth)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
};
