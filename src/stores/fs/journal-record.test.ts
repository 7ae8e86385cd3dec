import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clearedHeader, decodeBody, decodeHeader, encodeRecord, flagOffset, headerBytes, type JournalEntry } from './journal-record.ts';

const entry: fc.Arbitrary<JournalEntry> = fc.record({
  slot: fc.integer({ min: 0, max: 65_535 }),
  directories: fc.array(fc.string(), { maxLength: 3 }),
  intent: fc.record({
    workspace_id: fc.string({ unit: 'binary' }),
    path: fc.string({ unit: 'grapheme' }),
    event_id: fc.uuid(),
    prior: fc.option(
      fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
      { nil: null },
    ),
    prior_hash: fc.option(fc.string(), { nil: null }),
    intended_hash: fc.option(fc.string(), { nil: null }),
  }),
});
const entries = fc.array(entry, { minLength: 1, maxLength: 8 });

const read = (record: Uint8Array): readonly JournalEntry[] | 'empty' | 'torn' => {
  const header = decodeHeader(record.subarray(0, headerBytes));
  return header === null ? 'empty' : (decodeBody(header, record.subarray(headerBytes, headerBytes + header.bodyLength)) ?? 'torn');
};

test('a record comes back as it was written, its slots readable without the body', () => {
  fc.assert(
    fc.property(entries, all => {
      const record = encodeRecord(all);
      expect(read(record)).toEqual(all);
      expect(decodeHeader(record.subarray(0, headerBytes))?.slots).toEqual(all.map(({ slot }) => slot));
    }),
  );
});

test('a record with any byte of its header, slots or body changed, or its end missing, is torn', () => {
  fc.assert(
    fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, where, change) => {
      const record = Buffer.from(encodeRecord(all));
      const counted = [...Array(576).keys()].slice(8).filter(at => at < 48 || at >= 64);
      const bytes = [...counted, ...Array.from({ length: record.length - headerBytes }, (_, at) => headerBytes + at)];
      const at = bytes[where % bytes.length] ?? 8;
      record[at] = (record[at] ?? 0) ^ change;
      expect(read(record)).toBe('torn');
      expect(read(encodeRecord(all).subarray(0, -1))).toBe('torn');
    }),
  );
});

test('an empty file and a cleared record hold nothing, and a settled entry is flagged without tearing the record', () => {
  const one: JournalEntry = {
    slot: 7,
    directories: [],
    intent: { workspace_id: 'w', path: 'a.md', event_id: 'e', prior: null, prior_hash: null, intended_hash: null },
  };
  expect(read(new Uint8Array())).toBe('empty');
  expect(read(new Uint8Array(headerBytes))).toBe('empty');
  const record = Buffer.from(encodeRecord([one, one]));
  record[flagOffset(1)] = 1;
  expect(decodeHeader(record)?.done).toEqual([false, true]);
  expect(read(record)).toEqual([one, one]);
  record.set(clearedHeader);
  expect(read(record)).toBe('empty');
});
