import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryFileSystem, sampleEvent } from '#adapter-contracts/testing';
import { formatLine, parseLine, readLines } from './log-lines.ts';

test('lines are found whatever their length, with their offsets, and what follows the last newline is none', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 8 }), fc.integer({ min: 0, max: 30 }), (lengths, tail) => {
      const { fileSystem } = createMemoryFileSystem();
      const fd = fileSystem.open('/log', 'create-exclusive');
      const content = Buffer.concat([...lengths.map(length => Buffer.from(`${'x'.repeat(length)}\n`)), Buffer.alloc(tail, 'y')]);
      fileSystem.write(fd, 0, content);
      const found = [...readLines(fileSystem, fd, 0, content.length)].map(({ offset, bytes }) => [offset, bytes.length]);
      let offset = 0;
      const expected = lengths.map(length => {
        const line = [offset, length];
        offset += length + 1;
        return line;
      });
      expect(found).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test('an event survives its line, whatever is in it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (payload, subject) => {
      const event = sampleEvent({ payload: JSON.parse(JSON.stringify(payload)), subject });
      const line = formatLine(event);
      expect(line.indexOf(0x0a)).toBe(line.length - 1);
      expect(parseLine(line.subarray(0, -1))).toEqual({ event, damage: null });
    }),
  );
});

test('NUL bytes hide neither the line after them nor an event behind them', () => {
  const event = sampleEvent();
  expect(parseLine(new Uint8Array(512))).toEqual({ event: null, damage: { length: 512, reason: 'NUL bytes' } });
  const line = Buffer.concat([Buffer.alloc(9), formatLine(event).subarray(0, -1)]);
  expect(parseLine(line)).toEqual({ event, damage: { length: 9, reason: 'NUL bytes' } });
});

test('what is no event says why, and a blank line says nothing', () => {
  const reason = (text: string | Uint8Array) => parseLine(Buffer.from(text)).damage?.reason;
  expect(reason('{"event_id":')).toBe('not JSON');
  expect(reason('["event"]')).toBe('not an event record');
  expect(reason('{"event_id":"e1"}')).toBe('not an event record');
  expect(reason(Uint8Array.of(0x22, 0xff, 0x22))).toBe('not valid UTF-8');
  expect(reason('')).toBeUndefined();
  expect(reason(' \r')).toBeUndefined();
  // A log that a checkout gave Windows line endings is still read.
  expect(parseLine(Buffer.from(`${JSON.stringify(sampleEvent())}\r`)).event).not.toBeNull();
});
