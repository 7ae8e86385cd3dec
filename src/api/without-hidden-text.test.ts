import { expect, test } from 'vitest';
import type { KernelResponse } from '#kernel';
import { openMemoryVault } from '#open-vault';
import { runCall } from './call.ts';
import { calls } from './calls/all-calls.ts';
import { execEnvelopes } from './exec/exec-envelopes.ts';
import type { Vault } from './vault.ts';

const task =
  '---\ntype: task\ntitle: Pay ransom\ndescription: Secret\ntimestamp: 2026-05-16T14:00:00Z\nname: ransom\nstatus: pending\ncategory: blackmail\npriority: tomorrow\n---\nBody.\n';
const path = 'tasks/ransom.md';
const principal = (...capabilities: string[]) => ({
  id: 'agent:nosy',
  kind: 'agent' as const,
  workspaceIds: ['ws-memory'],
  capabilities,
  authentication: { provider: 'token', assurance: 'verified' },
});

let keys = 0;
const envelope = (type: string, members: object) => {
  keys += 1;
  return { type, workspace_id: 'ws-memory', idempotency_key: `key-${keys}`, path, ...members };
};
const submit = async (vault: Vault, caller: object, given: object): Promise<KernelResponse> =>
  (await runCall(calls['envelope.submit'], vault, { principal: caller }, { envelope: given })) as KernelResponse;

const vaultWithTask = async (): Promise<Vault> => {
  const vault = await openMemoryVault();
  expect(await submit(vault, principal('*:*'), envelope('operation', { content: task }))).toMatchObject({ success: true });
  return vault;
};

/** What was in the document and not in the request. */
const hidden = /blackmail|tomorrow|Pay|Secret/;

test('whoever may not read a document is not told its values by patching others', async () => {
  const vault = await vaultWithTask();
  for (const caller of [principal(), principal('ssss:memory:*', 'ssss:task:patch')]) {
    for (const patches of [{ type: 'memory' }, { type: 'primitive' }, { status: 'bogus' }, { title: null }]) {
      const response = await submit(vault, caller, envelope('patch', { patches }));
      expect(response).toMatchObject({
        success: false,
        error: { code: 'validation_failed' },
        repair: { field_errors: [{ field: 'patches' }] },
      });
      expect(JSON.stringify(response)).not.toMatch(hidden);
    }
  }
  const refused = await submit(vault, principal(), envelope('patch', { patches: { z: 1 } }));
  expect(refused).toMatchObject({ error: { code: 'forbidden' }, validation: { warnings: [] } });
  const done = await submit(vault, principal('ssss:task:patch'), envelope('patch', { patches: { z: 1 } }));
  expect(done).toMatchObject({ success: true, validation: { warnings: [] } });
});

test('a reader is told what is wrong, and a writer what is wrong with its own text', async () => {
  const vault = await vaultWithTask();
  const patched = await submit(vault, principal('ssss:task:read'), envelope('patch', { patches: { type: 'memory' } }));
  expect(JSON.stringify(patched)).toContain('blackmail');
  const written = await submit(vault, principal(), envelope('operation', { content: task.replace('pending', 'bogus') }));
  expect(JSON.stringify(written)).toContain('bogus');
});

test('a stream of envelopes tells no more than a single one', async () => {
  const vault = await vaultWithTask();
  const responses: KernelResponse[] = [];
  const items = async function* () {
    yield { value: envelope('patch', { patches: { type: 'memory' } }), line: 1, column: 1 };
  };
  await execEnvelopes(vault, items(), {
    principal: principal(),
    concurrency: 1,
    signal: new AbortController().signal,
    emit: async response => void responses.push(response),
  });
  expect(responses).toMatchObject([{ success: false, error: { code: 'validation_failed' } }]);
  expect(JSON.stringify(responses)).not.toMatch(hidden);
});
