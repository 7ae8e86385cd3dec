import { expect, test } from 'vitest';
import { eventIdForKey } from './event-id.ts';
import { requestHash } from './request-hash.ts';

const removal = { type: 'delete', workspace_id: 'ws-acme', idempotency_key: 'k1', path: 'rules/a.md' };

test('the request hash equals the published vector, so kernels that share a log agree', () => {
  expect(requestHash(removal, 'user-42')).toBe('sha256:bcb1d3ceccb74965ea81bef10e3a9869925ac06261906e1932fa7e5d5fc48d0d');
});

test('every hashed member and the principal change the request hash', () => {
  const hashes = [
    requestHash(removal, 'user-42'),
    requestHash(removal, 'user-43'),
    requestHash({ ...removal, type: 'patch' }, 'user-42'),
    requestHash({ ...removal, workspace_id: 'ws-b' }, 'user-42'),
    requestHash({ ...removal, idempotency_key: 'k2' }, 'user-42'),
    requestHash({ ...removal, path: 'rules/b.md' }, 'user-42'),
    requestHash({ ...removal, primitive_type: 'rule' }, 'user-42'),
    requestHash({ ...removal, content: '' }, 'user-42'),
    requestHash({ ...removal, patches: {} }, 'user-42'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('the order of patch keys does not change the request hash', () => {
  const patched = (patches: Record<string, unknown>) => requestHash({ ...removal, type: 'patch', patches }, 'u');
  expect(patched({ a: 1, b: { c: 2, d: 3 } })).toBe(patched({ b: { d: 3, c: 2 }, a: 1 }));
});

test("an event's id is derived from workspace and key in the reference namespace", () => {
  expect(eventIdForKey('ws-acme', 'k1')).toBe('bb162bfe-adc5-55f1-9bb6-cc5c16d77670');
  expect(eventIdForKey('ws-acme', 'k2')).not.toBe(eventIdForKey('ws-acme', 'k1'));
});
