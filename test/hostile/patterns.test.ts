import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { code, memoryVault, op, patience, temporaryPlace } from './hostile-vault.ts';

const extensionOf = (pattern: string): object => ({
  registry: 'field',
  version: '1.0.0',
  primitives: { label: { portability: 'structural', patterns: { value: pattern } } },
});
const label = (value: string): string =>
  `---\ntype: field:label\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\nvalue: "${value}"\n---\n`;

const kilobytes = 100;
const long = (unit: string): string => unit.repeat((kilobytes * 1024) / unit.length);

// Each takes a backtracking engine longer than the age of the universe; the test runner's limit is what would notice.
const hostile: readonly (readonly [pattern: string, value: string, verdict: string])[] = [
  ['^(a+)+$', `${long('a')}!`, 'validation_failed'],
  ['^(a+)+$', long('a'), 'ok'],
  ['^(a|a)*$', `${long('a')}!`, 'validation_failed'],
  ['^(a|aa)+$', `${long('a')}!`, 'validation_failed'],
  ['(.*a){12}b', long('a'), 'validation_failed'],
  ['^([a-zA-Z]+)*[0-9]$', long('x'), 'validation_failed'],
  ['(x+x+)+y', long('x'), 'validation_failed'],
  ['^(\\w+\\s?)*$', `${long('word ')}!`, 'validation_failed'],
  ['a{0,50}a{0,50}a{0,50}b', long('a'), 'validation_failed'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', long('a'), 'validation_failed'],
  ['(\\p{L}+)+:', long('é'), 'validation_failed'],
  ['(😀+)+x', long('😀'), 'validation_failed'],
];

test.each(hostile)(`%s gives its verdict on ${kilobytes} kB without backtracking`, patience, async (pattern, value, verdict) => {
  const vault = await memoryVault({ extensions: [extensionOf(pattern)] });
  expect(await code(vault, op('a.md', label(value)))).toBe(verdict);
});

const refused: readonly (readonly [what: string, pattern: string, says: RegExp])[] = [
  ['look-ahead', 'a(?=b)', /look-ahead/],
  ['negative look-ahead', '^(?!x)', /look-ahead/],
  ['look-behind', '(?<=a)b', /look-behind/],
  ['negative look-behind', '(?<!a)b', /look-behind/],
  ['a back-reference', '(a)\\1', /back-references/],
  ['a named back-reference', '(?<x>a)\\k<x>', /back-references/],
  ['an inline flag', '(?i:a)', /cannot be used/],
  ['an unclosed group', '(a', /cannot be used/],
  ['a lone quantifier', '*a', /cannot be used/],
  ['an unknown property', '\\p{Nonsense}', /cannot be used/],
  ['a pattern of 5,000 signs', 'a'.repeat(5000), /4096/],
  ['repetitions that multiply', '((a{1000}){1000}){1000}', /cannot be used/],
  ['deep groups', '('.repeat(2000) + ')'.repeat(2000), /cannot be used/],
];

test.each(refused)('%s is refused when the registry is loaded, naming file and place', async (_, pattern, says) => {
  const { base, root, end } = temporaryPlace();
  try {
    await initVault({ root, workspaceId: 'ws-a' });
    const workspace = { workspace_id: 'ws-a', spec_version: '0.9', created_at: '2026-01-01T00:00:00Z', extensions: ['field'] };
    writeFileSync(join(root, '.ssss', 'workspace.json'), JSON.stringify(workspace));
    writeFileSync(join(root, '.ssss', 'extensions', 'field.json'), JSON.stringify(extensionOf(pattern), null, 2));
    const opened = openVault({ root, stateDir: join(base, 'state') }).then(async vault => {
      await vault.close();
      return 'opened';
    });
    await expect(opened).rejects.toThrow(says);
    await expect(opened).rejects.toThrow(/field\.json:\d+:\d+/);
    await expect(opened).rejects.toThrow('primitives.label.patterns.value');
  } finally {
    end();
  }
});
