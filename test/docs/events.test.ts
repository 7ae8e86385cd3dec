import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openMemoryVault } from '#open-vault';

const page = readFileSync('docs/reference/events.md', 'utf8');
const rows = (section: string): string[] => [...section.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(match => match[1]!);
const [record = '', payloads = ''] = page.split('## Payloads');

test('docs/reference/events.md lists exactly the fields of the events that the kernel appends', async () => {
  const vault = await openMemoryVault();
  const principal = vault.localPrincipal();
  const response = await vault.execute(
    { type: 'event', workspace_id: vault.workspaceId, idempotency_key: 'k', path: 'shop/door', content: '{"opened":true}' },
    { principal },
  );
  expect(response.success).toBe(true);
  for await (const { event } of vault.events()) expect(Object.keys(event).sort()).toEqual(rows(record).sort());
});

test('docs/reference/events.md names exactly the event types that Sheaf writes into payloads', () => {
  const written = [
    'src/projections/adoption-envelope.ts',
    'src/api/memory/create-vault-memory.ts',
    'src/runtime/planning/plan-firing.ts',
    'src/runtime/conditions/condition-change.ts',
    'src/runtime/webhooks/webhook-receipt.ts',
    'src/runtime/work/end-held-run.ts',
    'src/runtime/work/cancel-task.ts',
  ].flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/(?:event_type: |(?:webhookReceived|conditionChanged) = )'([a-z_.]+)'/g)].map(
      match => match[1],
    ),
  );
  expect(written.length).toBeGreaterThan(0);
  expect(rows(payloads).filter(name => name !== 'payload.event_type')).toEqual([...new Set(written)]);
});
