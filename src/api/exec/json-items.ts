import { createArrayCutter } from './array-cutter.ts';
import { type ByteLine, defaultItemLimits, firstInkByte, type ItemLimits, readByteLines } from './byte-lines.ts';
import { type JsonItem, parseJsonItem, tooLongItem } from './json-item.ts';
import { followNesting, jsonByte } from './json-nesting.ts';

/**
 * Cuts a stream of bytes into JSON values without holding more than one of them: JSON Lines, values spread over several lines (as `jq` prints
 * them), or one array whose elements are the items. Text that is not JSON becomes an item of its own in its place, and reading goes on after it.
 */
export async function* readJsonItems(chunks: AsyncIterable<Uint8Array>, limits: ItemLimits = defaultItemLimits): AsyncGenerator<JsonItem> {
  const lines = createValueGatherer(limits);
  let array: ReturnType<typeof createArrayCutter> | null = null;
  let atStart = true;
  for await (const line of readByteLines(chunks, limits.bytes)) {
    const first = firstInkByte(line.bytes);
    if (first === undefined && atStart && !line.tooLong) continue;
    if (atStart && first === jsonByte.bracketOpen) array = createArrayCutter(limits);
    atStart = false;
    if (array === null) yield* lines.add(line);
    else {
      yield* array.add(line);
      if (array.closed()) array = null;
    }
  }
  yield* array === null ? lines.end() : array.end();
}

// Gathers lines until their brackets are closed.
const createValueGatherer = (limits: ItemLimits) => {
  let pending: ByteLine[] = [];
  let size = 0;
  let depth = 0;

  const oneByOne = (): JsonItem[] =>
    take().flatMap(line => (firstInkByte(line.bytes) === undefined && !line.tooLong ? [] : [itemOf([line], limits)]));
  const take = (): ByteLine[] => {
    const taken = pending;
    pending = [];
    size = 0;
    depth = 0;
    return taken;
  };

  return {
    *add(line: ByteLine): Generator<JsonItem> {
      // A value never continues with `{` in the first column of a line (pretty-printers indent), so what came before was cut off.
      if (pending.length > 0 && line.bytes[0] === jsonByte.braceOpen) yield* oneByOne();
      if (pending.length === 0 && firstInkByte(line.bytes) === undefined && !line.tooLong) return;
      pending.push(line);
      size += line.bytes.length;
      const nesting = followNesting(line.bytes, depth);
      depth = nesting.depth;
      if (line.tooLong || nesting.inString || size > limits.bytes) yield* oneByOne();
      else if (depth === 0) yield itemOf(take(), limits);
    },
    end: oneByOne,
  };
};

const itemOf = (lines: readonly ByteLine[], limits: ItemLimits): JsonItem => {
  const [first] = lines;
  const number = first?.number ?? 1;
  if (first?.tooLong) return tooLongItem(number, limits);
  const bytes = Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line.bytes] : [lineFeed, line.bytes])));
  return parseJsonItem(bytes, { line: number, column: 1 }, limits);
};

const lineFeed = Buffer.from('\n');
