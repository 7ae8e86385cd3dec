/** Text that is not JSON as Sheaf reads it; `offset` counts UTF-16 code units from the start of the text. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const blankPattern = /[ \t\n\r]*/y;
const plainString = /"[^"\\\u0000-\u001f]*"/y;
const escapedString = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const words = new Map<string, unknown>([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);

// Deeper than the contract allows in a patch, so that its own, better refusal is the one people see.
const deepest = 80;

/**
 * Reads one JSON value strictly: names that stand twice are refused (which of two patches did the caller mean?), nesting is bounded, and objects have
 * no prototype, so `__proto__` is an ordinary name. `JSON.parse` gives none of the three.
 *
 * @example parseStrictJson('{"a":1,"a":2}') // throws: the name "a" stands twice
 */
export const parseStrictJson = (text: string): unknown => {
  const reader = createReader(text);
  const value = reader.value(0);
  reader.skipBlanks();
  if (reader.at() < text.length)
    throw new JsonSyntaxError(`text after the end of the JSON value: ${shown(text, reader.at())}`, reader.at());
  return value;
};

const shown = (text: string, offset: number): string =>
  offset >= text.length ? 'the text ends' : JSON.stringify(text.slice(offset, offset + 12));

interface Reader {
  at(): number;
  skipBlanks(): void;
  value(depth: number): unknown;
}

const createReader = (text: string): Reader => {
  let position = 0;

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found === null) return null;
    position = pattern.lastIndex;
    return found[0];
  };
  const skipBlanks = (): void => void match(blankPattern);
  const fail = (expected: string): never => {
    throw new JsonSyntaxError(`expected ${expected}, found ${shown(text, position)}`, position);
  };

  const string = (): string => {
    const plain = match(plainString);
    if (plain !== null) return plain.slice(1, -1);
    const escaped = match(escapedString);
    if (escaped === null) return fail('a closed string without raw control characters and with valid escapes');
    return JSON.parse(escaped) as string;
  };

  const value = (depth: number): unknown => {
    if (depth > deepest) throw new JsonSyntaxError(`nested deeper than ${deepest} levels`, position);
    skipBlanks();
    const first = text[position] ?? '';
    if (first === '{') return object(depth);
    if (first === '[') return array(depth);
    if (first === '"') return string();
    const word = words.get(first) as [string, unknown] | undefined;
    if (word !== undefined && text.startsWith(word[0], position)) {
      position += word[0].length;
      return word[1];
    }
    const number = match(numberPattern);
    return number === null ? fail('a JSON value') : Number(number);
  };

  const object = (depth: number): object => {
    const result = Object.create(null) as Record<string, unknown>;
    position += 1;
    skipBlanks();
    if (text[position] === '}') return closed(result);
    for (;;) {
      skipBlanks();
      const start = position;
      const name = text[position] === '"' ? string() : fail('a name in double quotes');
      if (Object.hasOwn(result, name)) throw new JsonSyntaxError(`the name ${JSON.stringify(name)} stands twice in one object`, start);
      skipBlanks();
      if (text[position] !== ':') fail("':'");
      position += 1;
      result[name] = value(depth + 1);
      skipBlanks();
      if (text[position] === '}') return closed(result);
      if (text[position] !== ',') fail("',' or '}'");
      position += 1;
    }
  };

  const array = (depth: number): unknown[] => {
    const result: unknown[] = [];
    position += 1;
    skipBlanks();
    if (text[position] === ']') return closed(result);
    for (;;) {
      result.push(value(depth + 1));
      skipBlanks();
      if (text[position] === ']') return closed(result);
      if (text[position] !== ',') fail("',' or ']'");
      position += 1;
    }
  };

  const closed = <T>(result: T): T => {
    position += 1;
    return result;
  };

  return { at: () => position, skipBlanks, value };
};
