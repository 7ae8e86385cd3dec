import { expect, test } from 'vitest';
import { composeRegistry, loadCoreRegistry, parseExtension } from '#registry';
import { capabilityCovers, expandRolePermissions, requiredCapabilities } from './index.ts';

const core = loadCoreRegistry();

test.each([
  ['ssss:assistant:create', true],
  ['*:*', true],
  ['ssss:*', true],
  ['ssss:assistant:*', true],
  ['ss:*', false],
  ['*', false],
  ['ssss:assistant', false],
  ['ssss:assistant:patch', false],
  ['ssss:assistan:*', false],
  ['ssss:assistant:create:*', false],
  ['ssss*', false],
  ['write:*', false],
  [':*', false],
  ['', false],
])('a grant of %j covers ssss:assistant:create: %s', (granted, covers) => {
  expect(capabilityCovers(granted, 'ssss:assistant:create')).toBe(covers);
});

test('recording an event needs write:event, which the grant of all core types does not cover', () => {
  expect(requiredCapabilities(null, 'ssss:event', 'event')).toEqual(['write:event']);
  expect(capabilityCovers('ssss:*', 'write:event')).toBe(false);
  for (const grant of ['write:event', 'write:*', '*:*']) expect(capabilityCovers(grant, 'write:event')).toBe(true);
});

test.each(['create', 'replace', 'patch', 'append', 'delete'] as const)(
  'without declared capabilities, %s asks for the qualified type and the action',
  action => {
    expect(requiredCapabilities(core.resolve('rule'), 'ssss:rule', action)).toEqual([`ssss:rule:${action}`]);
    expect(requiredCapabilities(null, 'ssss:index', action)).toEqual([`ssss:index:${action}`]);
  },
);

test('declared capabilities replace the default for their action only', () => {
  const json = JSON.stringify({
    registry: 'acme',
    version: '1.0.0',
    primitives: { booking: { portability: 'structural', capabilities: { create: ['acme.desk:create', 'acme.desk:sign'] } } },
  });
  const booking = composeRegistry({ extensions: [parseExtension(json, 'acme.json')] }).resolve('booking');
  expect(requiredCapabilities(booking, 'acme:booking', 'create')).toEqual(['acme.desk:create', 'acme.desk:sign']);
  expect(requiredCapabilities(booking, 'acme:booking', 'patch')).toEqual(['acme:booking:patch']);
});

test('pre-0.9 permissions expand to capabilities, and only those', () => {
  const expand = (...permissions: string[]) => expandRolePermissions(permissions, core);
  expect(expand('write:*')).toEqual(['*:*']);
  expect(expand('write:rule', '*:rule')).toEqual(['ssss:rule:*']);
  expect(expand('*:ssss:task')).toEqual(['ssss:task:*']);
  expect(expand('write:event', 'ssss:rule:*', '*:*', 'write:nothing')).toEqual(['write:event', 'ssss:rule:*', '*:*', 'write:nothing']);
  expect(expand()).toEqual([]);
});
