import assert from 'node:assert/strict';
import type { CanonicalEvent, EventStore, LastRecorded } from '#adapter-contracts';
import { acrossReopen, type ContractHarness, isDurable, withStore } from './contract-harness.ts';
import { appendAll } from './event-replay.ts';
import { sampleAdoption, sampleEvent, sampleHash } from './sample-event.ts';

const workspaceId = 'ws-acme';
const path = 'memory/n.md';

const recordOf = (event: CanonicalEvent, hash: string | null, adopted: boolean): LastRecorded => ({
  event_id: event.event_id,
  timestamp: event.timestamp,
  hash,
  adopted,
});

const allRecorded = async (events: EventStore, workspace: string): Promise<ReadonlyMap<string, LastRecorded>> => {
  const states = new Map<string, LastRecorded>();
  for await (const { path: subject, ...state } of events.lastRecordedAll(workspace)) {
    assert.ok(!states.has(subject), `'${subject}' is listed twice`);
    states.set(subject, state);
  }
  return states;
};

const assertRecorded = async (events: EventStore, expected: LastRecorded | null): Promise<void> => {
  assert.deepEqual(await events.lastRecorded(workspaceId, path), expected);
  assert.deepEqual((await allRecorded(events, workspaceId)).get(path) ?? null, expected);
};

/** Registers the tests of what the log last recorded about a path (readings: drift). */
export const registerRecordedStateTests = (harness: ContractHarness<'events'>): void => {
  const { test } = harness;
  test('the last recorded state of a path is that of its last mutation', () =>
    withStore(harness, async ({ events }) => {
      await assertRecorded(events, null);
      const create = sampleEvent({ subject: path, after_hash: sampleHash('1') });
      await events.append(create);
      await assertRecorded(events, recordOf(create, sampleHash('1'), false));
      const patch = sampleEvent({ subject: path, action: 'patch', before_hash: sampleHash('1'), after_hash: sampleHash('2') });
      await events.append(patch);
      await assertRecorded(events, recordOf(patch, sampleHash('2'), false));
      const remove = sampleEvent({ subject: path, action: 'delete', before_hash: sampleHash('2'), after_hash: null });
      await events.append(remove);
      await assertRecorded(events, recordOf(remove, null, false));
    }));

  test('an adopted hand edit is the last record until the next mutation', () =>
    withStore(harness, async ({ events }) => {
      const create = sampleEvent({ subject: path, after_hash: sampleHash('1') });
      const adoption = sampleAdoption(path, sampleHash('2'));
      await appendAll(events, [create, adoption]);
      await assertRecorded(events, recordOf(adoption, sampleHash('2'), true));
      const patch = sampleEvent({ subject: path, action: 'patch', after_hash: sampleHash('3') });
      await events.append(patch);
      await assertRecorded(events, recordOf(patch, sampleHash('3'), false));
      const removal = sampleAdoption(path, null);
      await events.append(removal);
      await assertRecorded(events, recordOf(removal, null, true));
    }));

  test('other events about a path, and malformed adoptions, record no state', () =>
    withStore(harness, async ({ events }) => {
      const create = sampleEvent({ subject: path, after_hash: sampleHash('1') });
      const adopted = { event_type: 'document_adopted', action: 'replace', before_hash: null };
      const payloads = [
        null,
        'document_adopted',
        ['document_adopted'],
        { event_type: 'feedback', after_hash: sampleHash('9') },
        { after_hash: sampleHash('9') },
        adopted,
        { ...adopted, after_hash: 'sha256:short' },
        { ...adopted, after_hash: 7 },
      ];
      await appendAll(events, [create, ...payloads.map(payload => sampleAdoption(path, null, { payload }))]);
      await assertRecorded(events, recordOf(create, sampleHash('1'), false));
    }));

  test('recorded states belong to a workspace and to an exact path', () =>
    withStore(harness, async ({ events }) => {
      const own = sampleEvent({ subject: path, after_hash: sampleHash('1') });
      const elsewhere = sampleEvent({ subject: path, workspace_id: 'ws-other', after_hash: sampleHash('2') });
      const twin = sampleEvent({ subject: 'memory/N.md', after_hash: sampleHash('3') });
      await appendAll(events, [own, elsewhere, twin]);
      await assertRecorded(events, recordOf(own, sampleHash('1'), false));
      assert.deepEqual(await events.lastRecorded('ws-other', path), recordOf(elsewhere, sampleHash('2'), false));
      assert.deepEqual([...(await allRecorded(events, workspaceId)).keys()].sort(), ['memory/N.md', path]);
      assert.deepEqual([...(await allRecorded(events, 'ws-other')).keys()], [path]);
      assert.equal((await allRecorded(events, 'ws-none')).size, 0);
    }));

  test('all recorded states come in the order of their paths, from any path on', () =>
    withStore(harness, async ({ events }) => {
      const paths = ['b.md', 'a/z.md', 'a.md', 'c/1.md', 'a/b.md'];
      await appendAll(
        events,
        paths.map(subject => sampleEvent({ subject })),
      );
      const sorted = [...paths].sort();
      assert.deepEqual([...(await allRecorded(events, workspaceId)).keys()], sorted);
      const rest: string[] = [];
      for await (const recorded of events.lastRecordedAll(workspaceId, { after: 'a/b.md' })) rest.push(recorded.path);
      assert.deepEqual(rest, sorted.slice(sorted.indexOf('a/b.md') + 1));
    }));

  if (isDurable(harness)) {
    test('recorded states outlive the store', () =>
      acrossReopen(
        harness,
        async ({ events }) => {
          const adoption = sampleAdoption(path, sampleHash('2'));
          await appendAll(events, [sampleEvent({ subject: path }), adoption]);
          return adoption;
        },
        ({ events }, adoption) => assertRecorded(events, recordOf(adoption, sampleHash('2'), true)),
      ));
  }
};
