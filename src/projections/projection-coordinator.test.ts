import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { createMemoryStore } from '#stores/memory';
import { createProjectionCoordinator, type Projection } from './projection-coordinator.ts';

const workspaceId = 'ws-acme';
const event = (id: string) => sampleEvent({ event_id: id, idempotency_key: id });

const recorder = (id = 'recorder') => {
  const applied: string[] = [];
  let failing = false;
  const projection: Projection = {
    id,
    apply: ({ event_id }) => {
      if (failing) throw new Error('disk full');
      applied.push(event_id);
    },
    reset: () => void applied.splice(0),
    hash: () => `hash-${applied.length}`,
  };
  return {
    projection,
    applied,
    fail: (now: boolean) => {
      failing = now;
    },
  };
};

test('a dispatch applies every event of the log once and in order, also those another process appended', async () => {
  const { events } = createMemoryStore();
  const { projection, applied } = recorder();
  const coordinator = createProjectionCoordinator([projection], { events, workspaceId });
  await events.append(event('a'));
  await events.append(event('b'));
  await coordinator.dispatch(event('b'), null);
  await coordinator.dispatch(event('b'), null);
  await events.append(sampleEvent({ event_id: 'other', idempotency_key: 'other', workspace_id: 'ws-b' }));
  await events.append(event('c'));
  await Promise.all([coordinator.dispatch(event('c'), null), coordinator.dispatch(event('c'), null)]);
  expect(applied).toEqual(['a', 'b', 'c']);
});

test('S51: what a projection failed to apply is brought level exactly once by a later replay, and others do not wait for it', async () => {
  const { events } = createMemoryStore();
  const broken = recorder('broken');
  const sound = recorder('sound');
  const coordinator = createProjectionCoordinator([broken.projection, sound.projection], { events, workspaceId });
  await events.append(event('a'));
  broken.fail(true);
  await expect(coordinator.dispatch(event('a'), null)).rejects.toThrow("projection 'broken': disk full");
  expect(sound.applied).toEqual(['a']);
  broken.fail(false);
  await coordinator.replay('broken', { rebuild: false });
  await coordinator.replay('broken', { rebuild: false });
  expect(broken.applied).toEqual(['a']);
});

test('a rebuild forgets everything and applies the log from its beginning', async () => {
  const { events } = createMemoryStore();
  const { projection, applied } = recorder();
  const coordinator = createProjectionCoordinator([projection], { events, workspaceId });
  await events.append(event('a'));
  await coordinator.dispatch(event('a'), null);
  applied.push('tampered');
  await coordinator.replay('recorder', { rebuild: true });
  expect(applied).toEqual(['a']);
});

test('a projection whose hash differs, or that has none, has drifted', async () => {
  const { events } = createMemoryStore();
  const { projection } = recorder();
  const plain: Projection = { id: 'plain', apply: () => undefined, reset: () => undefined };
  const coordinator = createProjectionCoordinator([projection, plain], { events, workspaceId });
  expect(await coordinator.detectDrift('recorder', 'hash-0')).toBe(false);
  expect(await coordinator.detectDrift('recorder', 'hash-1')).toBe(true);
  expect(await coordinator.detectDrift('plain', 'hash-0')).toBe(true);
  await expect(coordinator.replay('typo', { rebuild: false })).rejects.toThrow(/no projection 'typo' \(known: recorder, plain\)/);
});
