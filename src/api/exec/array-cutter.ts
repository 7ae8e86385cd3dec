import { type ByteLine, firstInkByte, type ItemLimits } from './byte-lines.ts';
import { type JsonItem, parseJsonItem, type TextPlace, tooLongItem } from './json-item.ts';
import { followNesting, jsonByte } from './json-nesting.ts';

const lineFeed = Buffer.from('\n');

/** Cuts `[a, b, …]` into its elements at the commas of its own level, line by line, so that an endless array needs the memory of one element. */
export const createArrayCutter = (limits: ItemLimits) => {
  const element = createElement(limits);
  let opened = false;
  let closed = false;
  let depth = 0;
  let taken = 0;
  const take = (): JsonItem => {
    taken += 1;
    return element.take();
  };

  const add = (line: ByteLine): JsonItem[] => {
    const { bytes, number } = line;
    const items: JsonItem[] = [];
    let from = opened ? 0 : bytes.indexOf(jsonByte.bracketOpen) + 1;
    const base = from;
    opened = true;
    const keepUntil = (end: number): void => {
      element.keep(bytes.subarray(from, end), { line: number, column: from + 1 });
      from = end + 1;
    };
    if (line.tooLong) element.overflow({ line: number, column: 1 });
    const nesting = followNesting(bytes.subarray(base), depth, (byte, index, now) => {
      if (byte === jsonByte.comma && now === 0) {
        keepUntil(base + index);
        items.push(take());
      } else if (now < 0) {
        keepUntil(base + index);
        if (element.started() || taken > 0) items.push(take());
        closed = true;
      }
      return closed;
    });
    depth = nesting.depth;
    const rest = bytes.subarray(from);
    if (!closed) element.keep(Buffer.concat([rest, lineFeed]), { line: number, column: from + 1 });
    else if (firstInkByte(rest) !== undefined) items.push(parseJsonItem(rest, { line: number, column: from + 1 }, limits));
    return items;
  };

  const end = (): JsonItem[] => {
    const unfinished = element.started() ? [take()] : [];
    return [...unfinished, { ...element.place(), problem: "the array is not closed: ']' is missing at the end of the input" }];
  };
  return { add, end, closed: () => closed };
};

// The bytes of the element being read; white space before it does not count.
const createElement = (limits: ItemLimits) => {
  let parts: Buffer[] = [];
  let size = 0;
  let start: TextPlace = { line: 1, column: 1 };
  return {
    keep(bytes: Buffer, place: TextPlace): void {
      if (size === 0) start = place;
      if (size === 0 && firstInkByte(bytes) === undefined) return;
      size += bytes.length;
      if (size <= limits.bytes) parts.push(bytes);
    },
    overflow(place: TextPlace): void {
      if (size === 0) start = place;
      size = limits.bytes + 1;
    },
    take(): JsonItem {
      const item = size > limits.bytes ? tooLongItem(start.line, limits) : parseJsonItem(Buffer.concat(parts), start, limits);
      parts = [];
      size = 0;
      return item;
    },
    started: () => size > 0,
    place: () => start,
  };
};
