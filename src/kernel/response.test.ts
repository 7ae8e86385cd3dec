import { expect, test } from 'vitest';
import { createAuthorizer, defaultPolicy } from '#policy';
import { loadCoreRegistry } from '#registry';
import { createMemoryStore } from '#stores/memory';
import { del, documentOf, evt, fixedClock, op, openHarness, patch, person, rule, thread } from '../../test/kernel-model/kernel-harness.ts';
import { createKernel } from './create-kernel.ts';

test('a commit answers with exactly the members of the contract', async () => {
  const { accept } = openHarness({ clock: fixedClock() });
  const response = await accept(op('a.md', rule('x'), { operation_id: 'o1' }));
  expect(response).toEqual({
    success: true,
    type: 'operation',
    operation_id: 'o1',
    path: 'a.md',
    committed_at: '2026-05-16T14:00:00.000Z',
    dry_run: false,
    event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    validation: { valid: true, type: 'ssss:rule', errors: [], warnings: [] },
  });
});

test('an operation id is generated when the client chose none', async () => {
  const { accept } = openHarness();
  expect((await accept(op('a.md', rule('x')))).operation_id).toMatch(/^[0-9a-f-]{36}$/);
});

test('a refused document names each field to repair and its declared type', async () => {
  const { refuse } = openHarness();
  const response = await refuse(op('a.md', documentOf('rule', '', ''), { operation_id: 'o1' }));
  expect(response).toMatchObject({
    success: false,
    type: 'operation',
    operation_id: 'o1',
    path: 'a.md',
    committed_at: null,
    dry_run: false,
    validation: { valid: false, type: 'ssss:rule', warnings: [] },
    error: { code: 'validation_failed' },
  });
  expect(response.repair.field_errors.map(issue => issue.field)).toEqual(['name']);
  expect(response.validation.errors).toHaveLength(1);
  expect(response.error.message).toBe(response.validation.errors[0]);
  expect(Object.keys(response).sort()).toEqual(
    ['committed_at', 'dry_run', 'error', 'operation_id', 'path', 'repair', 'success', 'type', 'validation'].sort(),
  );
});

test('every failure carries the repair block, empty where no field is to blame', async () => {
  const { refuse, accept } = openHarness();
  await accept(op('t.md', thread('')));
  const refusals = [
    await refuse(null),
    await refuse({ type: 'operation', path: 7, dry_run: true }),
    await refuse(del('absent.md')),
    await refuse(del('t.md')),
    await refuse(op('a.md', rule('x')), { principal: null }),
    await refuse(op('a.md', rule('x')), { principal: { ...person, workspaceIds: [] } }),
  ];
  for (const refusal of refusals) {
    expect(refusal.validation.valid).toBe(false);
    expect(Array.isArray(refusal.repair.field_errors)).toBe(true);
    expect(refusal.error.message).not.toBe('');
  }
  expect(refusals.map(refusal => refusal.error.code)).toEqual([
    'invalid_request',
    'invalid_request',
    'not_found',
    'validation_failed',
    'unauthorized',
    'forbidden',
  ]);
  expect(refusals.map(refusal => refusal.validation.type)).toEqual([null, null, null, 'ssss:thread', 'ssss:rule', 'ssss:rule']);
  expect(refusals[1]).toMatchObject({ type: 'operation', path: null, dry_run: true });
});

test('the event record has the twenty fields of the standard for every action', async () => {
  const { accept, events } = openHarness({ clock: fixedClock() });
  await accept(op('a.md', rule('one')), {
    correlationId: 'flow',
    principal: { ...person, token: 'secret', authentication: { ...person.authentication, raw: 'jwt' } },
  });
  await accept(op('a.md', rule('two')));
  await accept(patch('a.md', { scope: 's', name: 'n', __body__: 'three\n' }));
  await accept(op('t.md', thread('')));
  await accept(patch('t.md', { __body__: '### turn 1\n' }));
  await accept(evt('orders/1', { total: 3 }));
  await accept(del('a.md'));
  await accept(op('index.md', '# Index\n'));
  const log = await events();
  expect(log.map(event => [event.action, event.primitive_id, event.primitive_version])).toEqual([
    ['create', 'ssss:rule', 1],
    ['replace', 'ssss:rule', 1],
    ['patch', 'ssss:rule', 1],
    ['create', 'ssss:thread', 1],
    ['append', 'ssss:thread', 1],
    ['event', 'ssss:event', 1],
    ['delete', 'ssss:rule', 1],
    ['create', 'ssss:index', 1],
  ]);
  for (const event of log) {
    expect(Object.keys(event)).toHaveLength(20);
    expect(event).toMatchObject({
      event_type: 'ssss.mutation',
      schema_version: 1,
      workspace_id: 'ws-a',
      causation_id: null,
      resource_status: null,
    });
    expect(event.timestamp).toBe('2026-05-16T14:00:00.000Z');
    expect(event.request_hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(event.principal).toEqual(person);
  }
  const [create, replace, patched, , appended, event, removal] = log;
  expect(create).toMatchObject({ before_hash: null, correlation_id: 'flow', payload: null, changed_fields: [] });
  expect(replace?.before_hash).toBe(create?.after_hash);
  expect(replace?.correlation_id).toBe(replace?.operation_id);
  expect(patched?.changed_fields).toEqual(['__body__', 'name', 'scope']);
  expect(appended?.changed_fields).toEqual(['__body__']);
  expect(event).toMatchObject({ before_hash: null, after_hash: null, changed_fields: [], subject: 'orders/1', payload: { total: 3 } });
  expect(removal).toMatchObject({ before_hash: patched?.after_hash, after_hash: null });
});

test('a cause must stand in the log already', async () => {
  const { accept, code, lastEvent, calls } = openHarness();
  const first = await accept(op('a.md', rule('x')));
  await accept(evt('x'), { causationId: first.event_id! });
  expect((await lastEvent()).causation_id).toBe(first.event_id);
  expect(await code(evt('y'), { causationId: 'unheard-of' })).toBe('invalid_request');
  calls.length = 0;
  expect(await code(evt('y'), { causationId: 'unheard-of', principal: null })).toBe('unauthorized');
  expect(calls).toEqual([]);
});

test('an event cannot carry an expected version, because it has no document', async () => {
  expect(await openHarness().code(evt('x'), { ifMatch: null })).toBe('invalid_request');
});

test.each([{ correlationId: '' }, { correlationId: 7 }, { causationId: '' }, { ifMatch: 7 }, { ifMatch: '' }])(
  'a context that means nothing is refused: %j',
  async context => {
    expect(await openHarness().code(op('a.md', rule('x')), context as object)).toBe('invalid_request');
  },
);

test('an answer comes even to a host that forgot the context, and for an envelope that cannot be read', async () => {
  const authorizer = createAuthorizer({ policy: defaultPolicy });
  const kernel = createKernel({ workspaces: { 'ws-a': createMemoryStore() }, registry: loadCoreRegistry(), authorizer });
  for (const context of [undefined, null])
    expect(await kernel.execute(op('a.md', rule('x')), context as never)).toMatchObject({ error: { code: 'unauthorized' } });
  const hostile = new Proxy(op('a.md', rule('x')), {
    getOwnPropertyDescriptor() {
      throw new Error('not yours');
    },
  });
  expect(await kernel.execute(hostile, { principal: person })).toMatchObject({
    success: false,
    path: null,
    error: { code: 'invalid_request' },
  });
});
