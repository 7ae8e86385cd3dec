const lineFeed = 0x0a;

// Room for nearly every block; a larger one gets memory of its own, which is not kept.
const scratch = Buffer.from(new ArrayBuffer(64 * 1024));
const scratchCodes = new Uint16Array(scratch.buffer);
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * The text's UTF-16 code units, with a line feed after the last. They are valid until the next call: the block is read
 * before another one is begun.
 */
export const toCodes = (text: string): Uint16Array => {
  const fits = text.length < scratchCodes.length;
  const bytes = fits ? scratch : Buffer.from(new ArrayBuffer(2 * text.length + 2));
  const codes = fits ? scratchCodes : new Uint16Array(bytes.buffer);
  if (littleEndian) bytes.write(text, 'utf16le');
  else for (let pos = 0; pos < text.length; pos++) codes[pos] = text.charCodeAt(pos);
  codes[text.length] = lineFeed;
  return codes;
};
