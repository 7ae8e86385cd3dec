import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPacedInput } from './paced-input.ts';

/** Every chunk is an item. */
async function* asItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<number> {
  for await (const chunk of chunks) yield chunk.length;
}

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 5; turns += 1) await turn();
};

const source = (size: number) => {
  let taken = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      taken += 1;
      yield new Uint8Array(size);
    }
  }
  return { chunks: chunks(), taken: () => taken };
};

test('reading stops while the bytes behind unanswered items exceed the bound, and goes on with each answer', async () => {
  const { chunks, taken } = source(10);
  const paced = createPacedInput(chunks, asItems, 25);
  const seen: number[] = [];
  void (async () => {
    for await (const item of paced.items) seen.push(item);
  })();
  await settle();
  expect([seen.length, taken()]).toEqual([3, 3]);
  await settle();
  expect(taken()).toBe(3);
  paced.answered();
  await settle();
  expect([seen.length, taken()]).toEqual([4, 4]);
});

test('one item larger than the bound is read, and the next waits for its answer', async () => {
  const { chunks, taken } = source(1000);
  const paced = createPacedInput(chunks, asItems, 25);
  let seen = 0;
  void (async () => {
    for await (const _ of paced.items) seen += 1;
  })();
  await settle();
  expect([seen, taken()]).toEqual([1, 1]);
  paced.answered();
  await settle();
  expect([seen, taken()]).toEqual([2, 2]);
});

test('an item that arrives in many chunks is never waited for', async () => {
  let chunksSent = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (; chunksSent < 50; chunksSent += 1) yield new Uint8Array(10);
  }
  async function* whole(parts: AsyncIterable<Uint8Array>): AsyncGenerator<number> {
    let size = 0;
    for await (const part of parts) size += part.length;
    yield size;
  }
  const paced = createPacedInput(chunks(), whole, 25);
  const seen: number[] = [];
  for await (const item of paced.items) seen.push(item);
  expect(seen).toEqual([500]);
});
