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
const words = new Map<string, unknown>([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);

/**
 * Reads one JSON value strictly: names that stand twice are refused (which of two patches did the caller mean?), nesting is bounded, and objects have
 * no prototype, so `__proto__` is an ordinary name. `JSON.parse` gives none of the three.
 *
 * @example parseStrictJson('{"a":1,"a":2}') // throws: the name "a" stands twice
 */
export const parseStrictJson = (text: string, deepest = 80): unknown => {
  const reader = createReader(text, deepest);
  const value = reader.value(0);
  reader.skipBlanks();
  if (reader.at() < text.length)
    throw new JsonSyntaxError(`text after the end of the JSON value: ${shown(text, reader.at())}`, reader.at());
  return value;
};

const shown = (text: string, offset: number): string =>
  offset >= text.length ? 'the text ends' : JSON.stringify(text.slice(offset, offset + 12));

/** Where the string that starts at `start` ends: the first quote behind an even number of backslashes. */
const closingQuote = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
};

interface Reader {
  at(): number;
  skipBlanks(): void;
  value(depth: number): unknown;
}

const createReader = (text: string, deepest: number): Reader => {
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
    const end = closingQuote(text, position);
    if (end === -1) return fail('a closed string');
    const literal = text.slice(position, end + 1);
    try {
      // The engine's own reader knows escapes and control characters, and reads megabytes that a pattern would choke on.
      const found = JSON.parse(literal) as string;
      position = end + 1;
      return found;
    } catch {
      return fail('a string without raw control characters and with valid escapes');
    }
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
