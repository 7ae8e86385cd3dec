import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { fireTrigger } from '../daemon/fire-trigger.ts';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { Trigger } from '../triggers/trigger.ts';
import { eachClaimable } from '../work/find-claimable.ts';
import { workProjection } from './work-projection.ts';

/** The plans of what is asked of the projection. */
const plansOf = async (ask: (host: RuntimeHost) => Promise<unknown>): Promise<string> => {
  const asked: string[] = [];
  const db = new Database(':memory:', { verbose: text => void asked.push(String(text)) });
  workProjection({} as never).create(db);
  asked.length = 0;
  await ask({
    now: () => 0,
    projections: { read: async (work: (from: Database.Database) => unknown) => work(db) },
  } as unknown as RuntimeHost).catch(() => null);
  const plans = [...asked].flatMap(text => db.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]);
  db.close();
  return plans.map(({ detail }) => detail).join('\n');
};

test('what a firing asks of earlier work looks at none that is done, however much there is', async () => {
  const trigger = { id: 't', workflow: { id: 'w' }, concurrency: 'skip_if_running' } as unknown as Trigger;
  const plans = await plansOf(host => fireTrigger(host, trigger, { kind: 'instant', at: 0 }));
  expect(plans).toMatch(/SEARCH t USING COVERING INDEX work_tasks_trigger \(workflow_id=\? AND trigger_id=\? AND status=\?\)/);
});

test('a task that waits in a queue finds what is before it without reading the queue', async () => {
  const plans = await plansOf(async host => eachClaimable(host, ['external']).next());
  expect(plans).toMatch(
    /SEARCH e USING COVERING INDEX work_tasks_trigger \(workflow_id=\? AND trigger_id=\? AND status=\? AND queued_at<\?\)/,
  );
});
