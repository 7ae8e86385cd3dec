import { expect, test } from 'vitest';
import { emptyMap, type FrontmatterMap } from '#document';
import { loadCoreRegistry } from '#registry';
import { createRoleConverter } from './convert-role.ts';

const convert = createRoleConverter('ws-a', loadCoreRegistry());
const documentOf = (members: object): FrontmatterMap => Object.assign(emptyMap(), members);
const granted = async (members: object | null) => {
  const principal = await convert('writer', async () => (members === null ? null : documentOf(members)));
  return principal?.capabilities ?? null;
};

test('a role holds the expanded permissions of its document, of either role type', async () => {
  for (const type of ['role', 'ssss:role', 'security_role', 'ssss:security_role'])
    expect(await granted({ type, permissions: ['write:rule', 'write:event', 5] })).toEqual(['ssss:rule:*', 'write:event']);
  expect(await granted({ type: 'role', permissions: '*:*' })).toEqual([]);
});

test('a role without a document, or with one of another type, gives no rights', async () => {
  expect(await granted(null)).toBeNull();
  for (const type of ['memory', 'rule', 'ssss:memory', 'unknown', undefined, ['role']])
    expect(await granted({ type, permissions: ['*:*'] })).toBeNull();
});

test('system and admin need no document, and nobody vouches for them', async () => {
  const neverRead = async () => {
    throw new Error('read');
  };
  expect(await convert('system', neverRead)).toMatchObject({ kind: 'system', authentication: { assurance: 'none' } });
  expect(await convert('admin', neverRead)).toMatchObject({
    kind: 'service',
    capabilities: ['*:*'],
    authentication: { assurance: 'none' },
  });
});
