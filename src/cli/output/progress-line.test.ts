import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { createProgressLine, progressText } from './progress-line.ts';

test.each([
  [{ done: 5, total: 100, newly: 0, seconds: 0 }, 'embedding 5/100'],
  [{ done: 120, total: 400, newly: 83, seconds: 10 }, 'embedding 120/400, 8.3/s, 34 s left'],
  [{ done: 100, total: 100_000, newly: 100, seconds: 1 }, 'embedding 100/100000, 100/s, 17 min left'],
  [{ done: 1, total: 100_000, newly: 1, seconds: 1 }, 'embedding 1/100000, 1.0/s, 28 h left'],
])('%j reads as progress', (progress, text) => {
  expect(progressText('embedding', progress)).toBe(text);
});

const streamed = (isTTY: boolean, quiet = false): { readonly line: ReturnType<typeof createProgressLine>; readonly text: () => string } => {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as WriteStream & PassThrough;
  let at = 0;
  const now = (): number => {
    at += 1000;
    return at;
  };
  return { line: createProgressLine('embedding', { stream, quiet, now }), text: () => String(stream.read() ?? '') };
};

test('on a terminal one line is written over itself and taken away at the end', () => {
  const { line, text } = streamed(true);
  line.update(10, 30);
  line.update(20, 30);
  line.end();
  const written = text();
  expect(written).toContain('\rembedding 20/30, 10/s, 1 s left');
  expect(written).not.toContain('\n');
  expect(written).toMatch(/\r +\r$/);
});

test('where nobody watches nothing is written', () => {
  for (const { line, text } of [streamed(false), streamed(true, true)]) {
    line.update(10, 30);
    line.end();
    expect(text()).toBe('');
  }
});
