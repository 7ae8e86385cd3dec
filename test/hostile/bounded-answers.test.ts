import { expect, test } from 'vitest';
import { evt, memoryVault, op, patch, patience, rule, send } from './hostile-vault.ts';

const extension = {
  registry: 'field',
  version: '1.0.0',
  primitives: {
    label: {
      portability: 'structural',
      enums: { tags: ['a', 'b'] },
      patterns: { codes: '^[0-9]+$' },
      references: { links: { allowed_types: ['rule'] } },
    },
  },
};
const many = 200_000;
const label = (fields: string): string =>
  `---\ntype: field:label\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\n${fields}---\n`;
const manyKeys = Object.fromEntries(Array.from({ length: many }, (_, index) => [`\u0001${index}`, index]));

const requests: readonly (readonly [what: string, code: string, request: object])[] = [
  ['values that an enum does not allow', 'validation_failed', op('a.md', label(`tags: [${'q,'.repeat(many)}q]\n`))],
  ['values that match no pattern', 'validation_failed', op('a.md', label(`codes: [${'q,'.repeat(many)}q]\n`))],
  ['references to nothing', 'validation_failed', op('a.md', label(`links: [${'q,'.repeat(many)}q]\n`))],
  ['conflict markers', 'validation_failed', op('a.md', rule('<<<<<<<\n'.repeat(many)))],
  ['keys with control characters', 'invalid_request', patch('a.md', manyKeys)],
  ['numbers that cannot be stored', 'invalid_request', patch('a.md', { list: Array(many).fill(1e300) })],
  ['lone surrogates', 'invalid_request', evt('a', `[${'"\\ud800",'.repeat(many)}1]`)],
];

test.each(requests)(
  'two hundred thousand %s are refused in a few kilobytes that say how many there are',
  patience,
  async (_, code, request) => {
    const vault = await memoryVault({ extensions: [extension] });
    const answer = await send(vault, request);
    expect(answer).toMatchObject({ success: false, error: { code } });
    const text = JSON.stringify(answer);
    expect(text.length).toBeLessThan(100_000);
    expect(text).toMatch(/And (199|200),?\d{3} more/);
  },
);

test('fifty thousand odd lines warn in a few kilobytes that say how many there are', patience, async () => {
  const vault = await memoryVault({});
  const odd = Array.from({ length: 50_000 }, (_, index) => `k${index}: a: b\n`).join('');
  const answer = await send(vault, op('a.md', rule('').replace('---\n', `---\n${odd}`)));
  expect(answer).toMatchObject({ success: true });
  const text = JSON.stringify(answer);
  expect(text.length).toBeLessThan(50_000);
  expect(text).toMatch(/And 49,?\d{3} more warnings/);
});
