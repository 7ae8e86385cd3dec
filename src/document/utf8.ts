import { isUtf8 } from 'node:buffer';
import { VaultError } from '#errors';

/** True when the text has no lone surrogate, so that it has a UTF-8 form. */
export const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();

/** The UTF-8 bytes of a text. A lone surrogate has none: `invalid_request` (readings: frontmatter block). */
export const encodeUtf8 = (text: string): Uint8Array => {
  if (!isWellFormed(text)) throw new VaultError('invalid_request', {}, 'The text holds a lone surrogate, which UTF-8 cannot store.');
  return Buffer.from(text, 'utf8');
};

/**
 * The text of stored bytes, read strictly; a byte order mark stays in the text. Bytes that are not UTF-8 are unreadable
 * stored state: `internal_error` naming the offset of the first bad byte (§6.5, readings: frontmatter block).
 */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  throw new VaultError('internal_error', {}, `The stored bytes are not UTF-8: first bad byte at offset ${firstBadByte(buffer)}.`);
};

const firstBadByte = (buffer: Buffer): number => {
  const lossy = buffer.toString('utf8');
  let offset = 0;
  let from = 0;
  for (;;) {
    const mark = lossy.indexOf('\ufffd', from);
    offset += Buffer.byteLength(lossy.slice(from, mark));
    // A replacement character may also be stored as itself: EF BF BD.
    if (!(buffer[offset] === 0xef && buffer[offset + 1] === 0xbf && buffer[offset + 2] === 0xbd)) return offset;
    offset += 3;
    from = mark + 1;
  }
};
