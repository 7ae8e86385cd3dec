import { expect, test } from 'vitest';
import { runFixtures } from './run-fixtures.ts';

const rule = '---\ntype: rule\nname: R\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\n---\nBody.\n';
const request = (more: object): object => ({
  type: 'operation',
  workspace_id: 'ws-acme',
  idempotency_key: 'k1',
  path: 'rules/r.md',
  content: rule,
  actor: { role: 'admin' },
  ...more,
});
const set = (...fixtures: readonly object[]): string => JSON.stringify({ fixtures });

test('fixtures run in order and are compared by status, success, code and bare type', async () => {
  const text = set(
    {
      id: '001',
      request: request({}),
      expected_response: { success: true, validation: { valid: true, type: 'rule' } },
      expected_http_status: 201,
    },
    { id: '002', request: request({}), expected_response: { success: true }, expected_http_status: 200 },
    {
      id: '003',
      request: request({ path: '../x' }),
      expected_response: { success: false, error: { code: 'idempotency_conflict' } },
      expected_http_status: 409,
    },
  );
  expect(await runFixtures(text, { pre09Roles: true })).toEqual({ passed: 3, failures: [] });
});

test('without the compatibility switch a role in the envelope is no identity', async () => {
  const text = set({ id: '001', request: request({}), expected_response: { success: true }, expected_http_status: 201 });
  expect(await runFixtures(text, { pre09Roles: false })).toEqual({
    passed: 0,
    failures: [{ name: '001', problems: ['status: expected 201, got 401', 'success: expected true, got false'] }],
  });
});

test('a document of another shape is refused, not passed', async () => {
  await expect(runFixtures('{}', { pre09Roles: true })).rejects.toThrow('"fixtures"');
  await expect(runFixtures(set({ request: {} }), { pre09Roles: true })).rejects.toThrow('"expected_response"');
  await expect(runFixtures(set({ request: {}, expected_response: {}, given: [] }), { pre09Roles: true })).rejects.toThrow(
    'does not understand given',
  );
});
