import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines, makeVault, openWorkshop, rule } from './sheaf.ts';

test('twenty processes that write one vault at once lose nothing', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  const { sheaf, vault } = workshop;
  await sheaf(['write', 'rules/shared.md'], { cwd: vault, input: rule('Shared') });
  const lines = (worker: number): string =>
    Array.from({ length: 5 }, (_, n) => [
      {
        type: 'operation',
        workspace_id: 'ws',
        idempotency_key: `${worker}-${n}`,
        path: `rules/w${worker}-${n}.md`,
        content: rule(`W${worker} ${n}`),
      },
      {
        type: 'patch',
        workspace_id: 'ws',
        idempotency_key: `s-${worker}-${n}`,
        path: 'rules/shared.md',
        patches: { [`x_${worker}_${n}`]: n },
      },
    ])
      .flat()
      .map(envelope => `${JSON.stringify(envelope)}\n`)
      .join('');
  const runs = await Promise.all(
    Array.from({ length: 20 }, (_, worker) => sheaf(['exec', '--json'], { cwd: vault, input: lines(worker) })),
  );
  const responses = runs.flatMap(run => jsonLines(run.stdout));
  expect(responses).toHaveLength(200);
  const done = responses.filter(response => response.success);
  // Whoever loses a race for the shared document may be told so; whoever is told it was done, finds it done.
  for (const refused of responses.filter(response => !response.success)) {
    expect(refused).toMatchObject({ path: 'rules/shared.md', error: { code: 'version_conflict' } });
  }
  const events = jsonLines((await workshop.inVault('log', '--json')).stdout);
  expect(events).toHaveLength(done.length + 1);
  expect(new Set(events.map(event => event.event_id)).size).toBe(events.length);
  const shared = (await workshop.inVault('cat', 'rules/shared.md')).stdout;
  const patched = events.filter(event => event.action === 'patch').flatMap(event => event.changed_fields as string[]);
  for (const key of patched) expect(shared).toContain(`\n${key}: `);
  expect(shared.match(/^x_/gm)).toHaveLength(patched.length);
  expect((await workshop.inVault('check')).status).toBe(0);
  expect((await workshop.inVault('status')).stdout).toMatch(/^clean/);
}, 120_000);

test('a write that meets half a line at the end of the log says that it was set aside, once', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  expect((await workshop.inVault('status')).stdout).toContain('1 file, 0 documents, in workspace ws');
  await workshop.inVault('event', 'shop/door', '{}');
  appendFileSync(join(workshop.vault, '.ssss/events/00000001.jsonl'), '{"event_id":"half');
  const written = await workshop.inVault('event', 'shop/door', '{"again":true}');
  expect(written).toMatchObject({ status: 0, stderr: expect.stringMatching(/^notice: .*00000001\.jsonl.*\n$/) });
  expect(await workshop.inVault('event', 'shop/door', '{}')).toMatchObject({ status: 0, stderr: '' });
  expect(jsonLines((await workshop.inVault('log', '--json')).stdout)).toHaveLength(3);
});
