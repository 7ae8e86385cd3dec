import { expect, test } from 'vitest';
import { capabilityCovers } from '#policy';
import { composeRegistry } from '#registry';
import { authorCapabilities, type RightsSources, runRights } from './run-rights.ts';

const registry = composeRegistry({ extensions: [] });

const rights = (sources: Partial<RightsSources>): readonly string[] =>
  runRights({ role: ['ssss:memory:*', 'write:event'], authors: [['*:*'], ['*:*']], cause: null, ...sources }, registry);

test.each<[string, Partial<RightsSources>, readonly string[]]>([
  ['the role alone, where its authors may do everything', {}, ['ssss:memory:*', 'write:event']],
  ['no more than the weakest author', { authors: [['*:*'], ['ssss:memory:read', 'ssss:page:*']] }, ['ssss:memory:read']],
  ['nothing, where an author is unknown', { authors: [['*:*'], []] }, []],
  ['no more than whoever caused it', { cause: ['ssss:memory:patch', 'ssss:role:*'] }, ['ssss:memory:patch']],
  ['nothing, where the cause may do nothing', { cause: [] }, []],
  [
    'what all three have in common',
    { role: ['ssss:*'], authors: [['ssss:memory:*', 'ssss:page:read']], cause: ['*:*'] },
    ['ssss:memory:*', 'ssss:page:read'],
  ],
])('a run may do %s', (_, sources, expected) => {
  expect([...rights(sources)].sort()).toEqual([...expected].sort());
});

test('without a role an assistant reads types that hold structure, and writes nothing', () => {
  const granted = rights({ role: null });
  expect(granted).toContain('ssss:skill:read');
  expect(granted).not.toContain('ssss:task:read');
  expect(granted.filter(capability => !capability.endsWith(':read'))).toEqual([]);
});

test('a role that grants everything still governs nothing', () => {
  const granted = rights({ role: ['*:*'] });
  const governing = [
    '*:*',
    'ssss:role:create',
    'ssss:model:patch',
    'ssss:primitive:create',
    'govern:role',
    'admin:principal',
    'app:approve',
  ];
  expect(governing.filter(capability => granted.some(one => capabilityCovers(one, capability)))).toEqual([]);
  expect(granted.some(one => capabilityCovers(one, 'ssss:memory:create'))).toBe(true);
});

test('an author is measured by what it held then and holds now', () => {
  expect(authorCapabilities(['*:*'], 'unregistered')).toEqual(['*:*']);
  expect(authorCapabilities(['*:*'], ['ssss:memory:*'])).toEqual(['ssss:memory:*']);
  expect(authorCapabilities(['ssss:memory:*'], ['*:*'])).toEqual(['ssss:memory:*']);
  expect(authorCapabilities(['*:*'], null)).toEqual([]);
  expect(authorCapabilities(null, 'unregistered')).toEqual([]);
});
