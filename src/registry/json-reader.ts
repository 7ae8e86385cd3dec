import { emptyMap, isWellFormed } from '#document';
import type { FieldIssue } from '#errors';

/** A position in a JSON text, both 1-based. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

/** A JSON value that remembers where each of its members stands. */
export interface PlacedJson {
  readonly value: unknown;
  /** Where the member at `path` begins (its key for a map entry). */
  placeOf(path: readonly (string | number)[]): JsonPlace | undefined;
}

/** Not JSON, or JSON that another reader could read differently (a key that stands twice). */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly place: JsonPlace;

  constructor(message: string, place: JsonPlace) {
    super(message);
    this.place = place;
  }
}

const maxDepth = 64;

/** By list or map: where each of its members stands. Not by whole paths, whose length would multiply with the number of members. */
type Places = Map<object, Map<string | number, JsonPlace>>;

/**
 * Reads a configuration file strictly: RFC 8259, no duplicate keys, no lone surrogates, at most 64 levels, maps without prototypes. `JSON.parse`
 * keeps the last of two equal keys and no positions, so a policy could say two things and nobody would see where.
 *
 * @throws JsonSyntaxError with line and column
 */
export function readJson(text: string): PlacedJson {
  const places: Places = new Map();
  const scan = createScanner(text.startsWith('\uFEFF') ? text.slice(1) : text);
  scan.skipSpace();
  const root = scan.place();
  const value = readValue(scan, 0, places);
  scan.skipSpace();
  if (!scan.atEnd()) throw scan.error('text after the end of the JSON value');
  return { value, placeOf: path => (path.length === 0 ? root : placeOf(value, path, places)) };
}

function placeOf(root: unknown, path: readonly (string | number)[], places: Places): JsonPlace | undefined {
  let holder: unknown = root;
  for (const step of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return undefined;
    holder = (holder as Record<string | number, unknown>)[step];
  }
  return places.get(holder as object)?.get(path.at(-1) ?? '');
}

interface Scanner {
  readonly peek: () => string;
  readonly atEnd: () => boolean;
  readonly skipSpace: () => void;
  readonly take: (pattern: RegExp) => string | null;
  readonly place: () => JsonPlace;
  readonly error: (message: string) => JsonSyntaxError;
}

function createScanner(text: string): Scanner {
  let at = 0;
  let line = 1;
  let lineStart = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return null;
    for (let newline = found.indexOf('\n'); newline >= 0; newline = found.indexOf('\n', newline + 1)) {
      line += 1;
      lineStart = at + newline + 1;
    }
    at += found.length;
    return found;
  };
  const place = (): JsonPlace => ({ line, column: at - lineStart + 1 });
  return {
    peek: () => text.charAt(at),
    atEnd: () => at >= text.length,
    skipSpace: () => void take(/[ \t\r\n]*/y),
    take,
    place,
    error: message => new JsonSyntaxError(message, place()),
  };
}

function readValue(scan: Scanner, depth: number, places: Places): unknown {
  scan.skipSpace();
  if (depth > maxDepth) throw scan.error(`nested deeper than ${maxDepth} levels`);
  const next = scan.peek();
  if (next === '{') return readMap(scan, depth, places);
  if (next === '[') return readList(scan, depth, places);
  if (next === '"') return readString(scan);
  const literal = scan.take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y);
  if (literal === null) throw scan.error(scan.atEnd() ? 'the text ends before the JSON value does' : `unexpected '${next}'`);
  return JSON.parse(literal);
}

function readMap(scan: Scanner, depth: number, places: Places): Record<string, unknown> {
  const map: Record<string, unknown> = emptyMap();
  const members = new Map<string | number, JsonPlace>();
  places.set(map, members);
  scan.take(/\{/y);
  scan.skipSpace();
  if (scan.take(/\}/y) !== null) return map;
  for (;;) {
    scan.skipSpace();
    const place = scan.place();
    if (scan.peek() !== '"') throw scan.error('expected a key in double quotes');
    const key = readString(scan);
    if (Object.hasOwn(map, key)) throw new JsonSyntaxError(`the key '${key}' stands twice`, place);
    members.set(key, place);
    scan.skipSpace();
    if (scan.take(/:/y) === null) throw scan.error("expected ':' after the key");
    map[key] = readValue(scan, depth + 1, places);
    scan.skipSpace();
    if (scan.take(/\}/y) !== null) return map;
    if (scan.take(/,/y) === null) throw scan.error("expected ',' or '}'");
  }
}

function readList(scan: Scanner, depth: number, places: Places): unknown[] {
  const list: unknown[] = [];
  const members = new Map<string | number, JsonPlace>();
  places.set(list, members);
  scan.take(/\[/y);
  scan.skipSpace();
  if (scan.take(/\]/y) !== null) return list;
  for (;;) {
    scan.skipSpace();
    members.set(list.length, scan.place());
    list.push(readValue(scan, depth + 1, places));
    scan.skipSpace();
    if (scan.take(/\]/y) !== null) return list;
    if (scan.take(/,/y) === null) throw scan.error("expected ',' or ']'");
  }
}

function readString(scan: Scanner): string {
  const place = scan.place();
  const text = scan.take(/"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
  if (text === null) throw scan.error('a string that is not closed, or holds a raw control character or an unknown escape');
  const value = JSON.parse(text) as string;
  // Read here, it would be refused much later, where the registry's digest is made of it.
  if (!isWellFormed(value)) throw new JsonSyntaxError('a string with a lone surrogate, which UTF-8 cannot store', place);
  return value;
}

/** The issue of a text that is not JSON; `field` names the file's role, e.g. `policy`. */
export const jsonSyntaxIssue = (field: string, error: JsonSyntaxError): FieldIssue => ({
  field,
  issue: `Not readable as JSON: ${error.message}.`,
  ...error.place,
});
