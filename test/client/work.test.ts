import { expect, test } from 'vitest';
import { workflow } from '../runtime/runtime-vault.ts';
import { serveClient } from './served-client.ts';

test('a workflow is fired and its task done, whatever the network does to the replies', async () => {
  const { client, clientOf } = await serveClient();
  await client.documents.write('w.md', workflow('work', []));
  const first = await client.work.fire('work', { key: 'once' });
  expect(first).toMatchObject({ outcome: 'created', workflow_id: 'work' });
  expect(await client.work.fire('work', { key: 'once' })).toMatchObject({ outcome: 'exists', task_path: first.task_path });
  const worker = await clientOf('worker', ['run:task']);
  const claim = await worker.work.claim({ worker: 'w', ttlSeconds: 600 });
  expect(claim.task_path).toBe(first.task_path);
  await expect(client.work.claim({ worker: 'other' })).rejects.toMatchObject({ code: 'not_found' });
  expect(await worker.work.step(claim, 'Did it.', { name: 'do' })).toMatchObject({ step: 1, run_path: claim.run_path });
  await expect(client.work.step(claim, 'Not mine.')).rejects.toMatchObject({ code: 'lease_conflict' });
  expect(await worker.work.finish(claim, 'done', { text: 'All.' })).toMatchObject({ status: 'done', attempts: 1 });
  expect(await worker.work.finish(claim, 'done', { text: 'All.' })).toMatchObject({ status: 'done' });
});
