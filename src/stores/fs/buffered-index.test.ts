import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BufferedIndex, createBufferedIndex, type IndexAddition } from './buffered-index.ts';
import type { EventIndex } from './event-index.ts';
import { nodePlatform } from './fs-platform.ts';

let directory = '';
let inner: EventIndex;
let other: EventIndex;
let buffered: BufferedIndex;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sheaf-index-'));
  inner = nodePlatform.createIndex(directory);
  // Another process on the same index.
  other = nodePlatform.findIndex(directory)!;
  buffered = createBufferedIndex(inner);
});
afterEach(() => {
  buffered.close();
  other.close();
  rmSync(directory, { recursive: true, force: true });
});

const lineBytes = 100;
const keyOf = (number: number): Uint8Array => Buffer.alloc(16, number);
const eventAt = (number: number, path = `notes/${number}.md`, segment = 1) => ({
  eventId: `event-${number}`,
  keyHash: keyOf(number),
  place: { segment, offset: (number - 1) * lineBytes, length: lineBytes - 1 },
  recorded: {
    workspaceId: 'ws-a',
    path,
    event_id: `event-${number}`,
    timestamp: '2026-05-16T14:00:00Z',
    hash: `sha256:${number}`,
    adopted: false,
  },
});
/** The nth event of the log, alone in its append. */
const addition = (number: number, path?: string): IndexAddition => {
  const event = eventAt(number, path);
  return {
    events: [event],
    sealed: null,
    position: { segment: 1, offset: number * lineBytes, last: { place: event.place, digest: `${number}` } },
  };
};
/** What another process does that finds the log longer than the index. */
const catchUpElsewhere = (...numbers: readonly number[]): void => {
  const transaction = other.begin();
  for (const number of numbers) transaction.add(eventAt(number));
  transaction.moveTo(addition(numbers.at(-1)!).position);
  transaction.commit();
};

test('what waits is answered at once, and the index learns of it together', () => {
  for (const number of [1, 2, 3]) buffered.extend(addition(number));
  expect(buffered.waiting).toBe(3);
  expect(buffered.findById('event-2')).toEqual(eventAt(2).place);
  expect(buffered.findByKey(keyOf(3))).toEqual(eventAt(3).place);
  expect(buffered.lastRecorded('ws-a', 'notes/1.md')?.hash).toBe('sha256:1');
  expect(buffered.position().offset).toBe(300);
  expect(other.position().segment).toBe(0);
  expect(other.findById('event-2')).toBeNull();
  buffered.flush();
  expect(buffered.waiting).toBe(0);
  expect(other.position()).toEqual(addition(3).position);
  expect(other.findById('event-2')).toEqual(eventAt(2).place);
  expect(other.lastRecorded('ws-a', 'notes/1.md')?.hash).toBe('sha256:1');
});

test('the last of several events on a path counts, waiting or not', () => {
  buffered.extend(addition(1, 'a.md'));
  buffered.flush();
  buffered.extend(addition(2, 'a.md'));
  expect(buffered.lastRecorded('ws-a', 'a.md')?.hash).toBe('sha256:2');
  buffered.extend(addition(3, 'a.md'));
  buffered.flush();
  expect(other.lastRecorded('ws-a', 'a.md')?.hash).toBe('sha256:3');
});

test('spellings of stored and of waiting paths are told together, also after they were asked for before', () => {
  expect(buffered.spellings('notes')).toEqual([]);
  buffered.extend(addition(1, 'notes/a.md'));
  expect(buffered.spellings('notes')).toEqual(['notes']);
  buffered.flush();
  buffered.extend(addition(2, 'Notes/b.md'));
  expect(buffered.spellings('notes')).toEqual(['Notes', 'notes']);
  buffered.flush();
  expect(buffered.spellings('notes')).toEqual(['Notes', 'notes']);
});

test('lists flush first', () => {
  buffered.extend(addition(1, 'notes/a.md'));
  expect(buffered.recordedAfter('ws-a', '', 10).map(({ path }) => path)).toEqual(['notes/a.md']);
  expect(buffered.waiting).toBe(0);
  buffered.extend(addition(2, 'notes/b.md'));
  expect(buffered.recordedBelow('notes', '', 10)).toEqual(['notes/a.md', 'notes/b.md']);
});

test('lines that another process has read from the log are not handed over twice', () => {
  for (const number of [1, 2, 3]) buffered.extend(addition(number));
  catchUpElsewhere(1, 2);
  buffered.flush();
  expect(other.position()).toEqual(addition(3).position);
  expect(other.findById('event-3')).toEqual(eventAt(3).place);
});

test('an index that others brought further is not set back', () => {
  buffered.extend(addition(1));
  catchUpElsewhere(1, 2, 3);
  buffered.flush();
  expect(other.position()).toEqual(addition(3).position);
  buffered.extend(addition(4));
  catchUpElsewhere(4, 5);
  expect(buffered.position()).toEqual(addition(5).position);
  expect(buffered.waiting).toBe(0);
});

test('once others append too, nothing waits: each of them would have to read it from the log', () => {
  buffered.share();
  buffered.extend(addition(1));
  expect(buffered.waiting).toBe(0);
  expect(other.findById('event-1')).toEqual(eventAt(1).place);
});

test('a segment left meanwhile is sealed with its size', () => {
  buffered.extend(addition(1));
  const event = eventAt(1, 'b.md', 2);
  const position = { segment: 2, offset: lineBytes, last: { place: event.place, digest: 'x' } };
  buffered.extend({ events: [{ ...event, eventId: 'event-b' }], sealed: { segment: 1, size: lineBytes }, position });
  expect([...buffered.sealedSegments()]).toEqual([[1, lineBytes]]);
  expect(other.position()).toEqual(position);
});

test('closing hands over what waits; an index that fails meanwhile keeps it waiting', () => {
  const failing: EventIndex = {
    ...inner,
    begin() {
      throw new Error('disk full');
    },
    close: () => undefined,
  };
  const full = createBufferedIndex(failing);
  full.extend(addition(1));
  expect(() => full.flush()).toThrow('disk full');
  expect(full.findById('event-1')).toEqual(eventAt(1).place);
  expect(() => full.close()).not.toThrow();

  buffered.extend(addition(1));
  buffered.close();
  expect(other.findById('event-1')).toEqual(eventAt(1).place);
  inner = nodePlatform.findIndex(directory)!;
  buffered = createBufferedIndex(inner);
});
