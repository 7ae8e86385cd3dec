import { expect, test } from 'vitest';
import { type Act, type Call, type LoggedEvent, type Observed, unexplained } from './linearizability.ts';
import { type Command, type Doc, render } from './reference-model.ts';

const path = 'a.md';
const docOf = (n: number): Doc => ({ type: 'rule', n, body: '' });
const command = (kind: Command['kind'], key: string, more: Partial<Command> = {}): Command => ({
  kind,
  path,
  key,
  who: 'u1',
  capabilities: ['*:*'],
  doc: docOf(0),
  invalid: false,
  change: {},
  dryRun: false,
  ...more,
});
const write = (key: string, n: number, more: Partial<Command> = {}): Command => command('operation', key, { doc: docOf(n), ...more });
const read: Act = { kind: 'read', path };
const committed = (event: number): Observed => ({ answer: 'commit', replay: false, event });
const replayed = (event: number): Observed => ({ answer: 'commit', replay: true, event });
const shows = (n: number | null): Observed => ({ text: n === null ? null : render(docOf(n)) });
const call = (begin: number, end: number, act: Act, observed: Observed): Call => ({ begin, end, act, observed });
const logged = (...entries: readonly (readonly [action: string, key: string])[]): readonly LoggedEvent[] =>
  entries.map(([action, key]) => ({ action, subject: path, key }));

const created = call(0, 1, write('k1', 0), committed(0));

test('calls one after another are explained by their own order', () => {
  const calls = [created, call(2, 3, write('k2', 1), committed(1)), call(4, 5, read, shows(1))];
  expect(unexplained(calls, logged(['create', 'k1'], ['replace', 'k2']))).toBeNull();
});

test('a read during a write may show either state', () => {
  const log = logged(['create', 'k1'], ['replace', 'k2']);
  for (const n of [0, 1]) {
    expect(unexplained([created, call(2, 7, write('k2', 1), committed(1)), call(3, 4, read, shows(n))], log)).toBeNull();
  }
});

test('the loser of a race may be told of a version conflict, and nobody else', () => {
  const log = logged(['create', 'k1'], ['replace', 'k2']);
  const winner = call(2, 5, write('k2', 1), committed(1));
  const conflict = { code: 'version_conflict' };
  expect(unexplained([created, winner, call(4, 6, write('k3', 2), conflict)], log)).toBeNull();
  expect(unexplained([created, winner, call(6, 7, write('k3', 2), conflict)], log)).toContain('? {"begin":6');
  expect(unexplained([created, winner, call(4, 6, write('k2', 1), conflict)], log)).toContain('? {"begin":4');
});

test('a key of which only an unchanged answer is known may be taken by a commit of the same time', () => {
  const same = call(2, 5, write('k2', 0), { answer: 'unchanged', replay: false, event: -1 });
  const log = logged(['create', 'k1'], ['patch', 'k2']);
  expect(unexplained([created, same, call(3, 6, command('patch', 'k2', { change: { n: 1 } }), committed(1))], log)).toBeNull();
});

const impossible: readonly (readonly [string, readonly Call[], readonly LoggedEvent[]])[] = [
  [
    'a stale read',
    [created, call(2, 3, write('k2', 1), committed(1)), call(4, 5, read, shows(0))],
    logged(['create', 'k1'], ['replace', 'k2']),
  ],
  [
    'two reads that see a write come and go',
    [created, call(2, 9, write('k2', 1), committed(1)), call(3, 4, read, shows(1)), call(5, 6, read, shows(0))],
    logged(['create', 'k1'], ['replace', 'k2']),
  ],
  [
    'a lost update',
    [
      created,
      call(2, 5, command('patch', 'k2', { change: { n: 1 } }), committed(1)),
      call(3, 6, command('patch', 'k3', { change: { body: 'x\n' } }), committed(2)),
      call(7, 8, read, { text: render({ type: 'rule', n: 0, body: 'x\n' }) }),
    ],
    logged(['create', 'k1'], ['patch', 'k2'], ['patch', 'k3']),
  ],
  [
    'two successes on one expected version',
    [created, call(2, 5, write('k2', 1, { ifMatch: null }), committed(1))],
    logged(['create', 'k1'], ['replace', 'k2']),
  ],
  [
    'two creations of one document, each expecting none',
    [call(0, 3, write('k1', 0, { ifMatch: null }), committed(0)), call(1, 4, write('k2', 1, { ifMatch: null }), committed(1))],
    logged(['create', 'k1'], ['replace', 'k2']),
  ],
  [
    'a replay that names another event',
    [created, call(2, 3, write('k2', 1), committed(1)), call(4, 5, write('k1', 0), replayed(1))],
    logged(['create', 'k1'], ['replace', 'k2']),
  ],
  ['one request applied twice', [created, call(2, 3, write('k1', 0), committed(1))], logged(['create', 'k1'], ['replace', 'k1'])],
  [
    'a replay before anything was committed',
    [call(0, 1, write('k1', 0), replayed(0)), call(2, 3, write('k1', 0), committed(0))],
    logged(['create', 'k1']),
  ],
  ['an acknowledged commit that the log lacks', [created], []],
  ['an event that nobody was told of', [created], logged(['create', 'k1'], ['replace', 'k2'])],
  [
    'a log in another order than real time',
    [created, call(2, 3, write('k2', 1), committed(2)), call(4, 5, write('k3', 2), committed(1))],
    logged(['create', 'k1'], ['replace', 'k3'], ['replace', 'k2']),
  ],
  [
    'two holders of one lease',
    [
      call(0, 3, { kind: 'acquire', path, who: 'u1', lease: 'l1' }, { held: true }),
      call(1, 4, { kind: 'acquire', path, who: 'u2', lease: 'l2' }, { held: true }),
    ],
    [],
  ],
  [
    'a write under a lease that had been given back',
    [
      call(0, 1, { kind: 'acquire', path, who: 'u1', lease: 'l1' }, { held: true }),
      call(2, 3, { kind: 'release', path, who: 'u1', lease: 'l1' }, { held: true }),
      call(4, 5, write('k1', 0, { lease: 'l1' }), committed(0)),
    ],
    logged(['create', 'k1']),
  ],
  ['a failure inside the kernel', [call(0, 1, write('k1', 0), { code: 'internal_error' })], []],
];

test.each(impossible)('%s is explained by no order', (_, calls, log) => {
  expect(unexplained(calls, log)).not.toBeNull();
});
