import type { Random } from '#adapter-contracts/testing';
import { below, chance, pick } from './choose.ts';

const lineFeed = 0x0a;
const interestingBytes = [
  0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x27, 0x2d, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x7f, 0x80, 0xc2, 0xed, 0xef, 0xff,
];
// Long enough for interplay, short enough for thousands of executions a second.
const longest = 4096;

type Mutation = (input: Buffer, random: Random, tokens: readonly string[], other: Buffer) => Buffer;

const spliced = (input: Buffer, start: number, end: number, insert: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, start), insert, input.subarray(end)]);

const range = (input: Buffer, random: Random, most: number): readonly [number, number] => {
  const start = below(random, input.length + 1);
  return [start, Math.min(input.length, start + below(random, most))];
};

const cutLines = (input: Buffer): Buffer[] => {
  const lines: Buffer[] = [];
  let start = 0;
  for (let feed = input.indexOf(lineFeed); feed >= 0; feed = input.indexOf(lineFeed, start)) {
    lines.push(input.subarray(start, feed + 1));
    start = feed + 1;
  }
  return [...lines, input.subarray(start)];
};

const mutations: readonly Mutation[] = [
  // Bytes.
  (input, random) => spliced(input, ...range(input, random, 2), Uint8Array.of(pick(random, interestingBytes))),
  (input, random) => spliced(input, ...range(input, random, 2), Uint8Array.of(below(random, 256))),
  (input, random) => spliced(input, ...range(input, random, 9), new Uint8Array()),
  // Tokens, written over something or between.
  (input, random, tokens) => spliced(input, ...range(input, random, 4), Buffer.from(pick(random, tokens))),
  (input, random, tokens) => {
    const at = below(random, input.length + 1);
    return spliced(input, at, at, Buffer.from(pick(random, tokens)));
  },
  // A piece of the input, or of another one, once more somewhere else.
  (input, random) => {
    const at = below(random, input.length + 1);
    return spliced(input, at, at, input.subarray(...range(input, random, 40)));
  },
  (input, random, _tokens, other) => spliced(input, ...range(input, random, 20), other.subarray(...range(other, random, 60))),
  // Lines: moved, dropped, repeated, indented, taken from another input.
  (input, random, _tokens, other) => {
    const lines = cutLines(input);
    const at = below(random, lines.length);
    const line = lines[at] ?? input;
    switch (below(random, 5)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(below(random, lines.length + 1), 0, line);
        break;
      case 2:
        lines[at] = Buffer.concat([Buffer.from(' '.repeat(1 + below(random, 4))), line]);
        break;
      case 3:
        lines[at] = line.subarray(Math.min(line.length, 1 + below(random, 3)));
        break;
      default:
        lines.splice(at, 0, pick(random, cutLines(other)));
    }
    return Buffer.concat(lines);
  },
];

/** The input after a few random changes; the same random numbers make the same changes. */
export const mutate = (input: Buffer, random: Random, tokens: readonly string[], other: Buffer): Buffer => {
  let result = input;
  do {
    result = pick(random, mutations)(result, random, tokens, other);
  } while (chance(random, 0.5));
  return result.length > longest ? Buffer.from(result.subarray(0, longest)) : result;
};
