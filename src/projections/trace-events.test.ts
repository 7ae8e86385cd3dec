import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { createMemoryStore } from '#stores/memory';
import { traceEvents } from './trace-events.ts';

const logOf = async (...edges: readonly (readonly [id: string, cause: string | null, correlation: string])[]) => {
  const { events } = createMemoryStore();
  for (const [id, cause, correlation] of edges) {
    await events.append(sampleEvent({ event_id: id, causation_id: cause, correlation_id: correlation, idempotency_key: id }));
  }
  return { events, workspaceId: sampleEvent().workspace_id };
};

const outline = async (events: Awaited<ReturnType<typeof logOf>>, id: string) =>
  (await traceEvents(events, id)).nodes.map(node => `${'-'.repeat(node.depth)}${node.event.event_id}${node.focus ? '*' : ''}`);

test('any event of a tree gives the whole tree from its first cause, siblings in log order', async () => {
  const events = await logOf(['a', null, 's1'], ['b', 'a', 's1'], ['x', null, 's2'], ['c', 'a', 's3'], ['d', 'b', 's1']);
  expect(await outline(events, 'a')).toEqual(['a*', '-b', '--d', '-c']);
  expect(await outline(events, 'd')).toEqual(['a', '-b', '--d*', '-c']);
  expect((await traceEvents(events, 'a')).nodes[0]?.children).toEqual(['b', 'c']);
});

test('a correlation gives its session with everything it caused, also under another correlation', async () => {
  const events = await logOf(['a', null, 's1'], ['x', null, 's2'], ['b', null, 's1'], ['c', 'a', 's9']);
  const tree = await traceEvents(events, 's1');
  expect(tree.by).toBe('correlation');
  expect(await outline(events, 's1')).toEqual(['a', '-c', 'b']);
});

test('an event whose cause lies outside the session is a root that says so', async () => {
  const events = await logOf(['a', null, 's1'], ['b', 'a', 's2']);
  expect((await traceEvents(events, 's2')).nodes).toMatchObject([{ depth: 0, note: 'its cause a is not part of this tree' }]);
});

test('a merged log with a missing cause, a circle or an edge that points forward still gives a tree', async () => {
  const events = await logOf(['a', 'gone', 's1'], ['p', 'q', 's2'], ['q', 'p', 's2'], ['self', 'self', 's3']);
  expect(await outline(events, 'a')).toEqual(['a*']);
  expect(await outline(events, 's2')).toEqual(['p', '-q']);
  expect((await outline(events, 'q')).filter(line => line.endsWith('q*'))).toHaveLength(1);
  expect(await outline(events, 'self')).toEqual(['self*']);
});

test('a chain longer than the call stack is traced', async () => {
  const events = await logOf(...Array.from({ length: 20_000 }, (_, i) => [`e${i}`, i === 0 ? null : `e${i - 1}`, 's'] as const));
  const { nodes } = await traceEvents(events, 'e19999');
  expect(nodes).toHaveLength(20_000);
  expect(nodes.at(-1)?.depth).toBe(19_999);
});

test('an unknown id gives a tree without nodes', async () => {
  expect((await traceEvents(await logOf(['a', null, 's']), 'nothing')).nodes).toEqual([]);
});
