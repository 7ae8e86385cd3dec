import { expect, test } from 'vitest';
import type { Principal } from '#adapter-contracts';
import { documentOf, memory, op, openHarness, person, rule } from '../../test/kernel-model/kernel-harness.ts';
import { createKernel } from './create-kernel.ts';
import type { ConvertRole } from './kernel-config.ts';

const convertRole: ConvertRole = async (role, readRole) => {
  const principal = (kind: Principal['kind'], capabilities: readonly string[]): Principal => ({
    id: 'ignored',
    kind,
    workspaceIds: ['ws-a'],
    capabilities,
    authentication: { provider: 'pre-0.9' },
  });
  if (role === 'system') return principal('system', []);
  if (role === 'admin') return principal('human', ['*:*']);
  const document = await readRole();
  return document === null ? null : principal('agent', document.permissions as readonly string[]);
};
const asRole = (role: string, envelope: object) => ({ ...envelope, actor: { role } });

test('a role is no identity unless the host turned compatibility on', async () => {
  const { code } = openHarness({ convertRole });
  expect(await code(asRole('admin', op('a.md', rule('x'))), { principal: undefined })).toBe('unauthorized');
});

test('a role becomes a principal before stage 5', async () => {
  const { accept, code, lastEvent } = openHarness({ pre09Roles: true, convertRole });
  const anonymous = { principal: undefined };
  await accept(asRole('system', op('a.md', rule('x'))), anonymous);
  expect((await lastEvent()).principal).toMatchObject({ id: 'role:system', kind: 'system' });
  expect(await code(asRole('writer', op('a.md', rule('y'))), anonymous)).toBe('forbidden');
  await accept(op('roles/writer/ROLE.md', documentOf('security_role', 'name: w\npermissions: ["ssss:rule:*"]\n', '')));
  await accept({ ...op('a.md', rule('y')), actor: { role: 'writer', id: 'w1' } }, anonymous);
  expect((await lastEvent()).principal.id).toBe('w1');
  expect(await code(asRole('writer', op('m.md', memory('status: active\n'))), anonymous)).toBe('forbidden');
  expect(await code(asRole('../writer', op('a.md', rule('z'))), anonymous)).toBe('forbidden');
});

test('a missing role is denied, and an attached principal outranks a role', async () => {
  const { accept, code, lastEvent } = openHarness({ pre09Roles: true, convertRole });
  for (const actor of [undefined, null, {}, { role: '' }, { role: 7 }])
    expect(await code({ ...op('a.md', rule('x')), actor }, { principal: undefined })).toBe('unauthorized');
  await accept(asRole('system', op('a.md', rule('x'))));
  expect((await lastEvent()).principal).toEqual(person);
});

test('compatibility without a conversion is a mistake in the host', () => {
  expect(() => createKernel({ workspaces: {}, pre09Roles: true } as never)).toThrow(/convertRole/);
});
