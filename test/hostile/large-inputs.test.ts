import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { patience, temporaryPlace } from './hostile-vault.ts';

/** The heap of the process that does the work: about twelve times the largest document it is given. */
const heapMebibytes = 128;
/** With the buffers beside the heap; about twice what is measured. */
const peakMebibytes = 640;

type Answer = readonly [what: string, answer: string | number | boolean];

/** Runs one scenario in a process that ends when its heap is full. */
const runScenario = async (scenario: string): Promise<readonly Answer[]> => {
  const { base, end } = temporaryPlace();
  const { NODE_OPTIONS: _, ...env } = process.env;
  try {
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMebibytes}`, 'test/hostile/large-inputs.mjs', scenario, base], {
      env,
    });
    let out = '';
    let errors = '';
    child.stdout.on('data', data => {
      out += String(data);
    });
    child.stderr.on('data', data => {
      errors += String(data);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code, errors).toBe(0);
    const answers = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Answer);
    const peak = answers.at(-1)!;
    expect(peak[0]).toBe('peak');
    expect(Number(peak[1])).toBeLessThan(peakMebibytes);
    return answers.slice(0, -1);
  } finally {
    end();
  }
};

const tooLarge = 'validation_failed 1 MiB';
const tooDeep = 'validation_failed 64 levels';
const flatten = 'invalid_request 64 levels';

test('documents of ten mebibytes are stored, patched to the byte and deleted in a small heap', patience, async () => {
  const answers = await runScenario('bodies');
  expect(answers.length).toBeGreaterThan(20);
  for (const [what, answer] of answers) expect([what, answer]).toEqual([what, what === 'kept' ? true : 'ok']);
});

test('frontmatter ends at exactly one mebibyte, whatever fills it', patience, async () => {
  expect(await runScenario('frontmatter')).toEqual([
    ['exactly 1 MiB', 'ok'],
    ['a byte over 1 MiB', tooLarge],
    ['ten MiB', tooLarge],
    ['never closed', 'validation_failed'],
    ['many keys', 'ok'],
    ['patched', 'ok'],
    ['many keys in braces', 'ok'],
    ['one key many times', 'validation_failed'],
    ['many items', 'ok'],
    ['many items in brackets', 'ok'],
    ['many blank lines', 'ok'],
    ['many comments', 'ok'],
    ['many open quotes', 'validation_failed'],
    ['many escapes', 'ok'],
    ['a long key', 'ok'],
  ]);
});

test('what is nested ten thousand levels deep is refused by its depth, however it is written', patience, async () => {
  expect(await runScenario('nesting')).toEqual([
    ['brackets', tooDeep],
    ['open brackets', tooDeep],
    ['braces', tooDeep],
    ['indented maps', tooDeep],
    ['dashes', tooDeep],
    ['sixty-four levels', 'ok'],
    ['patched with a list', flatten],
    ['patched with a map', flatten],
    ['patched with a circle', flatten],
    ['an event of lists', flatten],
    ['an event of maps', flatten],
  ]);
});

test('patches of a hundred thousand lines and of sixty thousand keys are applied, and too many keys refused', patience, async () => {
  expect(await runScenario('patches')).toEqual([
    ['a', 'ok'],
    ['many keys', 'ok'],
    ['too many keys', tooLarge],
    ['a body of 100,000 lines', 'ok'],
    ['a value of 2 MiB', tooLarge],
  ]);
});

test('log lines of a mebibyte are appended, read back, indexed anew and replayed', patience, async () => {
  const answers = await runScenario('events');
  expect(answers.slice(0, 24)).toEqual(Array.from({ length: 24 }, () => ['appended', 'ok']));
  expect(answers.slice(24)).toEqual([
    ['read', 24],
    ['read again', 24],
    ['replayed', 'replay'],
    ['of another content', 'idempotency_conflict'],
  ]);
});

test('a key of four mebibytes is a key like any other', patience, async () => {
  expect(await runScenario('keys')).toEqual([
    ['a key of 4 MiB', 'ok'],
    ['the same', 'replay'],
    ['for something else', 'idempotency_conflict'],
    ['almost the same key', 'ok'],
    ['an operation id', 'ok'],
    ['an intent', 'ok'],
    ['a path', 'invalid_request 1024 bytes'],
    ['a lease', 'lease_conflict'],
    ['a type', 'validation_failed'],
    ['events', 4],
  ]);
});
