export const jsonByte = { braceOpen: 0x7b, braceClose: 0x7d, bracketOpen: 0x5b, bracketClose: 0x5d, comma: 0x2c } as const;

export interface Nesting {
  readonly depth: number;
  readonly inString: boolean;
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Follows brackets and strings through one line of JSON bytes, calling `onMark` at each bracket and comma outside strings with the depth after it
 * (return true to stop there). A string cannot span lines in JSON, so a line that ends inside one is broken, whatever follows.
 */
export const followNesting = (
  bytes: Uint8Array,
  startDepth: number,
  onMark?: (byte: number, index: number, depth: number) => boolean,
): Nesting => {
  let depth = startDepth;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
      continue;
    }
    if (byte === quote) inString = true;
    else if (byte === jsonByte.braceOpen || byte === jsonByte.bracketOpen) depth += 1;
    else if (byte === jsonByte.braceClose || byte === jsonByte.bracketClose) depth -= 1;
    else if (byte !== jsonByte.comma) continue;
    if (!inString && onMark?.(byte, index, depth) === true) break;
  }
  return { depth: Math.max(depth, 0), inString };
};
