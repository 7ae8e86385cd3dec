/** What one item of the input may hold; a larger or deeper one is refused in its place instead of filling memory or stack. */
export interface ItemLimits {
  readonly bytes: number;
  readonly depth: number;
}

/** Deeper than the contract allows in a patch, so that its own, better refusal is the one people see. */
export const defaultItemLimits: ItemLimits = { bytes: 64 * 1024 * 1024, depth: 80 };

export interface ByteLine {
  /** From 1. */
  readonly number: number;
  /** Without the line feed; empty when `tooLong`. */
  readonly bytes: Buffer;
  readonly tooLong: boolean;
}

/** Cuts a stream of chunks at line feeds; the last line may lack one. */
export async function* readByteLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<ByteLine> {
  let parts: Buffer[] = [];
  let size = 0;
  let number = 1;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size > maxBytes) parts = [];
    else parts.push(part);
  };
  const line = (): ByteLine => {
    const bytes = Buffer.concat(parts);
    const made = { number, bytes: number === 1 ? withoutMark(bytes) : bytes, tooLong: size > maxBytes };
    parts = [];
    size = 0;
    number += 1;
    return made;
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      keep(bytes.subarray(start, end));
      yield line();
      start = end + 1;
    }
    // Copied, because the stream may reuse its chunk while the rest of the line is awaited.
    if (start < bytes.length) keep(Buffer.from(bytes.subarray(start)));
  }
  if (size > 0) yield line();
}

const lineFeed = 0x0a;

// Some shells put a byte order mark before what they pipe.
const withoutMark = (bytes: Buffer): Buffer => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes);

/** The first byte that is not JSON white space. */
export const firstInkByte = (bytes: Uint8Array): number | undefined =>
  bytes.find(byte => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== lineFeed);
