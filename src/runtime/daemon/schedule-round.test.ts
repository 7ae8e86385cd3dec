import { expect, test } from 'vitest';
import { intervalSchedule } from '../schedule/interval.ts';
import { createDueQueue } from './due-queue.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { runScheduleRound, type ScheduledTrigger } from './schedule-round.ts';

test('what cannot be looked at for a moment stays queued, and keeps nothing else from being looked at', async () => {
  const schedule = intervalSchedule('1h', undefined);
  const scheduled = (id: string): ScheduledTrigger =>
    ({ trigger: { id, workflow: { id } }, enabled: { at: 0 }, schedule }) as unknown as ScheduledTrigger;
  const queue = createDueQueue<ScheduledTrigger>();
  for (const id of ['broken', 'other']) queue.add(3_600_000, scheduled(id));
  let reads = 0;
  const projections = {
    async read() {
      reads += 1;
      if (reads === 1) throw new Error('the database is gone');
      return { due: [], missed: 0, more: false, next: 7_200_000 };
    },
  };
  const round = await runScheduleRound({ projections } as unknown as RuntimeHost, queue, 3_600_000);
  expect(round.fired).toMatchObject([{ outcome: 'failed', reason: 'the database is gone', trigger: { id: 'broken' } }]);
  expect(reads).toBe(2);
  expect(queue.size).toBe(2);
  expect(queue.next()).toBeLessThan(3_700_000);
});
