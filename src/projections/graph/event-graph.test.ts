import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { CanonicalEvent, EventStore } from '#adapter-contracts';
import { systemClock } from '#adapter-contracts';
import { sampleEvent } from '#adapter-contracts/testing';
import { createMemoryStore } from '#stores/memory';
import { openVaultProjections } from '../coordinator/open-vault-projections.ts';
import { traceEvents } from '../trace-events.ts';
import { eventGraph } from './event-graph.ts';
import { listSessions } from './list-sessions.ts';
import { traceByGraph } from './trace-by-graph.ts';

vi.setConfig({ testTimeout: 60_000 });

const workspaceId = 'ws-acme';

/** A log that may hold an id twice, as a merged one does; it grows. */
const merged = (lines: CanonicalEvent[]): EventStore => ({
  ...createMemoryStore().events,
  async *replay({ cursor, workspaceId: wanted } = {}) {
    for (const [index, event] of [...lines].entries()) {
      if (index < Number(cursor ?? 0) || (wanted !== undefined && event.workspace_id !== wanted)) continue;
      yield { event, cursor: String(index + 1) };
    }
  },
  end: async () => (lines.length === 0 ? null : String(lines.length)),
  findById: async id => lines.find(event => event.event_id === id) ?? null,
});

const opened = (lines: CanonicalEvent[]) => {
  const source = { vfs: createMemoryStore().vfs, events: merged(lines), workspaceId };
  const projections = openVaultProjections({
    derivedDirectory: null,
    source,
    projections: [eventGraph],
    clock: systemClock,
    onNotice: () => undefined,
  });
  return { source, projections };
};

const line = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  cause: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'missing'), { nil: null }),
  correlation: fc.constantFrom('s1', 's2', 's3', 'a'),
});

test('the graph gives exactly the tree that reading the whole log gives, for any log', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 14 }), fc.nat(14), async (made, first) => {
      const events = made.map(({ id, cause, correlation }, index) =>
        sampleEvent({
          event_id: id,
          causation_id: cause,
          correlation_id: correlation,
          subject: `n${index}.md`,
          workspace_id: index % 5 === 4 ? 'ws-other' : workspaceId,
        }),
      );
      const lines = events.slice(0, first);
      const { source, projections } = opened(lines);
      for (const more of [[], events.slice(first)]) {
        lines.push(...more);
        for (const asked of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 's1', 's2', 'missing']) {
          expect(await traceByGraph(source, projections, asked)).toEqual(await traceEvents(source, asked));
        }
      }
      await projections.close();
    }),
    { numRuns: 150 },
  );
});

test('a trace by the graph reads the lines of its tree and not the whole log', async () => {
  const lines = Array.from({ length: 500 }, (_, index) =>
    sampleEvent({ event_id: `e${index}`, correlation_id: index === 40 || index === 450 ? 'mine' : `c${index}` }),
  );
  const { source, projections } = opened(lines);
  await projections.level();
  let read = 0;
  const counting: EventStore = {
    ...source.events,
    async *replay(options) {
      for await (const replayed of source.events.replay(options)) {
        read += 1;
        yield replayed;
      }
    },
  };
  const tree = await traceByGraph({ ...source, events: counting }, projections, 'mine');
  expect(tree.nodes.map(({ event }) => event.event_id)).toEqual(['e40', 'e450']);
  expect(read).toBe(2);
  await projections.close();
});

test('sessions come newest first, with who took part and what they began with, page by page', async () => {
  const at = (minute: number): string => `2026-05-16T08:${String(minute).padStart(2, '0')}:00.000Z`;
  const by = (id: string) => ({ ...sampleEvent().principal, id });
  const lines = [
    sampleEvent({ event_id: 'a', correlation_id: 's1', subject: 'a.md', timestamp: at(1), principal: by('ada') }),
    sampleEvent({ event_id: 'b', correlation_id: 's2', subject: 'b.md', timestamp: at(2), principal: by('ben') }),
    sampleEvent({ event_id: 'c', correlation_id: 's1', causation_id: 'a', subject: 'c.md', timestamp: at(3), principal: by('cy') }),
    sampleEvent({ event_id: 'd', correlation_id: 's1', causation_id: 'b', subject: 'd.md', timestamp: at(4), principal: by('ada') }),
  ];
  const { projections } = opened(lines);
  await projections.of('event_graph').level();
  const list = (query: Parameters<typeof listSessions>[1]) => projections.read(db => listSessions(db, query));
  const s1 = { correlation_id: 's1', events: 3, first_at: at(1), last_at: at(4), actors: ['ada', 'cy'], subjects: ['a.md', 'd.md'] };
  const s2 = { correlation_id: 's2', events: 1, first_at: at(2), last_at: at(2), actors: ['ben'], subjects: ['b.md'] };
  expect(await list({ limit: 10 })).toEqual({ sessions: [s1, s2], cursor: null });
  const { sessions, cursor } = await list({ limit: 1 });
  expect(sessions).toEqual([s1]);
  expect(await list({ limit: 1, cursor: cursor ?? '' })).toEqual({ sessions: [s2], cursor: null });
  expect((await list({ limit: 10, since: Date.parse(at(3)) })).sessions).toEqual([s1]);
  await projections.close();
});
