import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ModelRequest } from '#adapter-contracts';
import { languageModelContract, type PlannedTurn } from '#adapter-contracts/testing';
import { createScriptedModel, parseScript } from './scripted-model.ts';

const scratch = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-script-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const scripted = (turns: readonly object[]) => {
  const script = join(scratch(), 'script.json');
  writeFileSync(script, JSON.stringify({ version: 1, turns }));
  return createScriptedModel('scripted', { script });
};

const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You keep notes.',
  messages: [{ role: 'user', text }],
  tools: [],
  maxOutputTokens: 100,
  ...more,
});

languageModelContract({
  name: 'scripted',
  describe,
  test,
  open: async planned => {
    const toTurn = ({ text, calls, cut }: PlannedTurn, index: number) => ({
      ...(planned.length > 1 ? { when: { turn: index } } : {}),
      ...(text === undefined ? {} : { text }),
      ...(calls === undefined ? {} : { calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })) }),
      ...(cut === true ? { finish: 'length' } : {}),
    });
    return scripted(planned.map(toTurn));
  },
});

test('the first turn whose conditions all hold is played', async () => {
  const model = scripted([
    { when: { contains: ['digest', 'notes'] }, text: 'A digest.' },
    { when: { last_contains: 'again' }, text: 'Again.' },
    { when: { after_tool: 'search' }, text: 'Found.' },
    { text: 'Otherwise.' },
  ]);
  expect(model.scripted).toBe(true);
  expect((await model.generate(ask('the digest'))).text).toBe('A digest.');
  expect((await model.generate(ask('again'))).text).toBe('Again.');
  const result = { role: 'tool', callId: '1', name: 'search', text: 'x', failed: false } as const;
  expect((await model.generate(ask('x', { messages: [result] }))).text).toBe('Found.');
  expect((await model.generate(ask('x'))).text).toBe('Otherwise.');
});

test('what a capture finds stands in text and arguments', async () => {
  const model = scripted([
    {
      capture: { day: 'scheduled for (\\S+)', none: 'nowhere' },
      text: 'Day {{day}}, {{none}}, {{unknown}}',
      calls: [{ name: 'write', arguments: { path: 'd/{{day}}.md', tags: ['{{day}}', 7] } }],
    },
  ]);
  const turn = await model.generate(ask('scheduled for 2026-05-16, please'));
  expect(turn.text).toBe('Day 2026-05-16,, , {{unknown}}');
  expect(turn.calls[0]?.arguments).toEqual({ path: 'd/2026-05-16,.md', tags: ['2026-05-16,', 7] });
});

test('a script plays failures, and a request that it does not foresee is one', async () => {
  const busy = scripted([{ error: { message: 'busy', temporary: true, retry_after_ms: 900 } }]);
  await expect(busy.generate(ask('x'))).rejects.toMatchObject({ message: 'busy', temporary: true, retryAfterMs: 900 });
  const narrow = scripted([{ when: { contains: 'digest' }, text: 'x' }]);
  await expect(narrow.generate(ask('y'))).rejects.toMatchObject({
    temporary: false,
    message: expect.stringContaining('no turn for this request') as string,
  });
  const gone = createScriptedModel('scripted', { script: join(scratch(), 'none.json') });
  await expect(gone.generate(ask('y'))).rejects.toMatchObject({ temporary: false });
});

test.each([
  ['{', 'is not JSON'],
  ['{"version":1,"turns":[]}', 'turns'],
  ['{"version":1,"turns":[{"say":"x"}]}', 'turns.0'],
  ['{"version":1,"turns":[{"capture":{"a":"("}}]}', 'turns.0.capture.a'],
])('a script that cannot be played is refused with its place: %s', (text, place) => {
  expect(() => parseScript(text, 'script.json')).toThrow(place);
});
