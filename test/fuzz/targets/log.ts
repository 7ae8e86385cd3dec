import { type CanonicalEvent, recordedState } from '#adapter-contracts';
import { createMemoryFileLocks, createMemoryFileSystem, type Random, sampleEvent } from '#adapter-contracts/testing';
import { type FsStore, nodePlatform, openFsStore } from '#stores/fs';
import { below, chance, pick, several } from '../engine/choose.ts';
import { type FuzzTarget, law } from '../engine/target.ts';

// An input is the bytes of the log; what follows this line stands in the next segment.
const separator = '%%segment\n';
const segmentFile = (index: number): string => `.ssss/events/${String(index + 1).padStart(8, '0')}.jsonl`;

const eventOf = (random: Random): CanonicalEvent => {
  const number = below(random, 40);
  return sampleEvent({
    event_id: `e${number}`,
    idempotency_key: `k${below(random, 40)}`,
    operation_id: `o${number}`,
    correlation_id: `o${number}`,
    subject: pick(random, ['memory/a.md', 'memory/b.md', 'é.md', 'a b.md']),
    after_hash: pick(random, [null, `sha256:${'b'.repeat(64)}`]),
    action: pick(random, ['create', 'replace', 'delete', 'event', 'patch'] as const),
    workspace_id: pick(random, ['ws-acme', 'ws-acme', 'ws-b']),
    payload: pick(random, [null, { a: 'line\nfeed' }, '\u2028', [1, [2]], { event_type: 'document_adopted', after_hash: null }]),
  });
};

/** A line, most often whole; else as crashes, merges, editors and other programs leave them. */
const lineOf = (random: Random): Buffer => {
  // Now and then longer than what is read in one go.
  const payload = chance(random, 0.003) ? { payload: 'x'.repeat((1 << 20) - below(random, 1000)) } : {};
  const line = Buffer.from(JSON.stringify({ ...eventOf(random), ...payload }));
  const end = Buffer.from('\n');
  if (chance(random, 0.6)) return Buffer.concat([line, end]);
  const half = line.subarray(0, below(random, line.length));
  return pick(random, [
    half,
    Buffer.concat([half, end]),
    Buffer.concat([half, line, end]),
    Buffer.concat([Buffer.alloc(below(random, 600)), line, end]),
    Buffer.concat([line, Buffer.alloc(3), end]),
    Buffer.concat([Buffer.alloc(below(random, 600)), end]),
    Buffer.concat([line, Buffer.from('\r\n')]),
    Buffer.concat([Buffer.from(' \t'), line, Buffer.from(' \n')]),
    Buffer.concat([Buffer.from('\ufeff'), line, end]),
    Buffer.concat([line.subarray(0, 30), Buffer.of(0xff, 0xfe), line.subarray(30), end]),
    Buffer.from(pick(random, ['\n', '{}\n', 'null\n', '[]\n', '<<<<<<< ours\n', '=======\n', '"x"\n', '{"event_id":"e1"}\n', ' \n'])),
    Buffer.from(
      `${JSON.stringify({ ...eventOf(random), before_hash: 5, after_hash: { a: 1 }, changed_fields: 'x', schema_version: 'y' })}\n`,
    ),
    Buffer.from(`${JSON.stringify({ ...eventOf(random), principal: pick(random, [null, {}, 'u', []]) })}\n`),
    Buffer.from(`${JSON.stringify({ ...eventOf(random), payload: 'x'.repeat(below(random, 3000)) })}\n`),
    Buffer.from(separator),
  ]);
};

interface IntactLine {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly event: CanonicalEvent;
}

interface Survey {
  readonly intact: readonly IntactLine[];
  /** Bytes that are neither an event nor blank, by segment. */
  readonly bad: readonly (readonly [segment: number, start: number, end: number])[];
}

const texts = ['event_id', 'event_type', 'timestamp', 'workspace_id', 'action', 'subject', 'idempotency_key'];

/** What the bytes of one line hold, found anew from the rules: a line is an event behind NUL bytes, blank, or damaged. */
const readIntact = (bytes: Buffer): { readonly event: CanonicalEvent | null; readonly skipped: number; readonly blank: boolean } => {
  let skipped = 0;
  while (skipped < bytes.length && bytes[skipped] === 0) skipped++;
  const text = bytes.subarray(skipped).toString('utf8');
  const none = { event: null, skipped, blank: skipped === 0 && text.trim() === '' };
  if (!Buffer.from(text).equals(bytes.subarray(skipped))) return { ...none, blank: false };
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const isEvent =
      typeof value === 'object' && value !== null && value.event_id !== '' && texts.every(name => typeof value[name] === 'string');
    return isEvent && typeof value.principal === 'object' ? { event: value as unknown as CanonicalEvent, skipped, blank: false } : none;
  } catch {
    return none;
  }
};

const surveyLog = (segments: readonly Buffer[]): Survey => {
  const intact: IntactLine[] = [];
  const bad: [number, number, number][] = [];
  segments.forEach((bytes, segment) => {
    let start = 0;
    for (let feed = bytes.indexOf(0x0a); feed >= 0; feed = bytes.indexOf(0x0a, start)) {
      const { event, skipped, blank } = readIntact(bytes.subarray(start, feed));
      if (event !== null) intact.push({ segment, start: start + skipped, end: feed, event });
      const badEnd = event === null ? feed : start + skipped;
      if (!blank && badEnd > start) bad.push([segment, start, badEnd]);
      start = feed + 1;
    }
    if (start < bytes.length) bad.push([segment, start, bytes.length]);
  });
  return { intact, bad };
};

/** Opens a store over a log that stands on a simulated disk. */
export type OpenLog = (segments: readonly Buffer[], options: { readonly readOnly: boolean }) => Promise<FsStore>;

export const openLog: OpenLog = (segments, { readOnly }) => {
  const disk = createMemoryFileSystem();
  const { fileSystem: fs } = disk;
  for (const directory of ['/vault', '/vault/.ssss', '/vault/.ssss/events']) fs.makeDirectory(directory);
  segments.forEach((bytes, index) => {
    const fd = fs.open(`/vault/${segmentFile(index)}`, 'create-exclusive');
    fs.write(fd, 0, bytes);
    fs.close(fd);
  });
  // The index lives in memory: SQLite does not run on a simulated disk.
  const platform = {
    ...nodePlatform,
    fs,
    locks: createMemoryFileLocks(disk).ownedBy('fuzz'),
    findIndex: () => null,
    createIndex: () => nodePlatform.createIndex(null),
  };
  return openFsStore({ root: '/vault', workspaceId: 'ws-acme', platform, readOnly });
};

const json = (value: unknown): string => JSON.stringify(value);

const replay = async ({ events }: FsStore, options = {}) => {
  const found: { readonly event: CanonicalEvent; readonly cursor: string }[] = [];
  for await (const item of events.replay(options)) found.push(item);
  return found;
};

const checkReplay = async (store: FsStore, { intact }: Survey): Promise<void> => {
  const whole = await replay(store);
  law(
    json(whole.map(({ event }) => event)) === json(intact.map(({ event }) => event)),
    'every intact line is read, in order',
    whole.length,
  );
  for (const [index, { cursor }] of whole.entries()) {
    const rest = await replay(store, { cursor });
    law(json(rest) === json(whole.slice(index + 1)), 'reading on from a cursor gives the rest', { index, rest: rest.length });
  }
};

const checkDamage = async (store: FsStore, { intact, bad }: Survey): Promise<void> => {
  const damage = await store.events.damage();
  const seen = new Set<string>();
  for (const [segment, start, end] of bad) {
    const report = damage.find(({ file, offset, length }) => file === segmentFile(segment) && offset === start && length === end - start);
    law(report !== undefined && report.reason !== '', 'damage is reported with its place', { segment, start, end, damage });
  }
  const repeats = intact.filter(({ event }) => seen.has(event.event_id) || !seen.add(event.event_id));
  for (const { segment, start } of repeats)
    law(
      damage.some(({ file, offset }) => file === segmentFile(segment) && offset === start),
      'an event id that stands twice is reported',
      { segment, start },
    );
  law(damage.length === bad.length + repeats.length, 'nothing else is called damaged', damage);
};

const sorted = (states: ReadonlyMap<string, string | null>) => [...states].toSorted(([left], [right]) => (left < right ? -1 : 1));

const checkLookups = async (store: FsStore, { intact }: Survey): Promise<void> => {
  const last = new Map<string, string | null>();
  const ids = new Set<string>();
  for (const { event } of intact) {
    const first = intact.find(other => other.event.event_id === event.event_id)?.event;
    law(json(await store.events.findById(event.event_id)) === json(first), 'an event is found by its id', event.event_id);
    if (ids.has(event.event_id)) continue;
    ids.add(event.event_id);
    const state = event.workspace_id === 'ws-acme' ? recordedState(event) : null;
    if (state !== null && (state.hash === null || typeof state.hash === 'string')) last.set(event.subject, state.hash);
  }
  const listed = new Map<string, string | null>();
  for await (const { path, hash } of store.events.lastRecordedAll('ws-acme')) listed.set(path, hash);
  law(json(sorted(listed)) === json(sorted(last)), 'the last recorded state of every path is known', {
    listed: [...listed],
    last: [...last],
  });
};

/** A log with this damage still takes a new event, which then stands last. */
const checkAppend = async (open: OpenLog, segments: readonly Buffer[], { intact }: Survey): Promise<void> => {
  const store = await open(segments, { readOnly: false });
  try {
    const added = sampleEvent({ event_id: 'added', idempotency_key: 'added', operation_id: 'o', correlation_id: 'o', payload: null });
    await store.events.append(added);
    const after = (await replay(store)).map(({ event }) => event);
    law(
      json(after) === json([...intact.map(({ event }) => event), added]),
      'an appended event comes after all that was intact',
      after.length,
    );
  } finally {
    await store.close();
  }
};

const cut = (input: Buffer): readonly Buffer[] => {
  const segments: Buffer[] = [];
  let start = 0;
  for (let at = input.indexOf(separator); at >= 0; at = input.indexOf(separator, start)) {
    segments.push(input.subarray(start, at));
    start = at + separator.length;
  }
  return [...segments, input.subarray(start)];
};

/** The log reader of the disk store: damage hides nothing and is told. */
export const createLogTarget = (open: OpenLog = openLog): FuzzTarget => ({
  name: 'log',
  generate: random => Buffer.concat(several(random, 6, () => lineOf(random))),
  tokens: [
    '\n',
    '\0',
    '\0\0\0\0',
    '\r',
    '{',
    '}',
    '"',
    '\\',
    separator,
    '{"event_id":"',
    '"event_id":"e1",',
    '\ufeff',
    ' ',
    '\n\n',
    'null',
    '"workspace_id":"ws-acme",',
  ],
  executions: 400,
  guidedBy: /\/src\/stores\/fs\/(?:log-|event-log|event-segments|indexed-event)/,
  async check(input) {
    const segments = cut(input);
    const survey = surveyLog(segments);
    const store = await open(segments, { readOnly: true });
    try {
      await checkReplay(store, survey);
      await checkDamage(store, survey);
      await checkLookups(store, survey);
    } finally {
      await store.close();
    }
    await checkAppend(open, segments, survey);
  },
});
