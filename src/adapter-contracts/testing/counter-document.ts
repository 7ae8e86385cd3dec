import assert from 'node:assert/strict';

const lines = 3000;

/** A document of some pages that says one number on every line, so that a mixture of two writes shows. */
export const counterDocument = (count: number): Uint8Array => new TextEncoder().encode(`${count}\n`.repeat(lines));

/** The number a counter document says. Throws when the bytes are not exactly one whole write. */
export const readCounter = (bytes: Uint8Array): number => {
  const text = new TextDecoder().decode(bytes);
  const first = text.slice(0, text.indexOf('\n'));
  assert.ok(text === `${first}\n`.repeat(lines), `torn document: it begins with '${first.slice(0, 20)}' and is not one whole write`);
  return Number(first);
};
