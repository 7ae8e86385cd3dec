import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { code, mebibyte, op, patience, rule, temporaryPlace } from './hostile-vault.ts';

const workspace = { workspace_id: 'ws-a', spec_version: '0.9', created_at: '2026-01-01T00:00:00Z', extensions: ['field'] };
const extension = (more: object): object => ({ registry: 'field', version: '1.0.0', primitives: {}, ...more });

/** Opens a vault with this text in one of its files; what the opening says, or `opened`. */
const openingWith = async (file: string, text: string | Uint8Array): Promise<string> => {
  const { base, root, end } = temporaryPlace();
  try {
    await initVault({ root, workspaceId: 'ws-a' });
    mkdirSync(join(root, '.ssss', 'extensions'), { recursive: true });
    const files: Record<string, string | Uint8Array> = {
      'workspace.json': JSON.stringify(workspace),
      'extensions/field.json': JSON.stringify(extension({})),
      [file]: text,
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, '.ssss', name), content);
    const vault = await openVault({ root, stateDir: join(base, 'state') });
    try {
      expect(await code(vault, op('a.md', rule('x\n')))).toBe('ok');
      return 'opened';
    } finally {
      await vault.close();
    }
  } catch (error) {
    return (error as Error).message;
  } finally {
    end();
  }
};

const files = ['workspace.json', 'policy.json', 'extensions/field.json'] as const;
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const hostile: readonly (readonly [what: string, text: string | Uint8Array, says: RegExp])[] = [
  ['no JSON', '{', /1:2|line 1, column 2/],
  ['nothing at all', '', /1:1|line 1, column 1/],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /utf-8/i],
  ['a NUL', '{"\0":1}', /1:\d|line 1, column/],
  ['a list a hundred thousand levels deep', deep(100_000), /deeper than 64/],
  ['a member a hundred thousand levels deep', `{"x":${deep(100_000)}}`, /deeper than 64/],
  ['a member twice', '{"a":1,"a":2}', /a/],
  ['four mebibytes and more', `{"x":"${'x'.repeat(4 * mebibyte)}"}`, /larger than 4194304 bytes/],
];

test.each(files.flatMap(file => hostile.map(([what, text, says]) => [file, what, text, says] as const)))(
  '%s with %s keeps the vault from opening, and the refusal names the file',
  async (file, _, text, says) => {
    const said = await openingWith(file, text);
    expect(said).toContain(file.split('/').at(-1));
    expect(said).toMatch(says);
    expect(said.length).toBeLessThan(2000);
  },
);

test('an extension of thousands of types with thousands of rules opens', patience, async () => {
  const primitives = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`type_${index}`, { portability: 'structural', required_fields: ['a', 'b'] }]),
  );
  expect(await openingWith('extensions/field.json', JSON.stringify(extension({ primitives })))).toBe('opened');
  const enums = { value: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) };
  const patterns = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field_${index}`, '^(a+)+$']));
  const one = { label: { portability: 'structural', enums, patterns } };
  expect(await openingWith('extensions/field.json', JSON.stringify(extension({ primitives: one })))).toBe('opened');
});
