import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { openFsStore } from '#stores/fs';
import { eventGraph } from '../graph/event-graph.ts';
import { diskVaults, everything, rule, texts, workspaceId } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

const allRows = (db: Database.Database): unknown => ({
  ...(everything(db) as object),
  others: db.prepare('SELECT * FROM others_rows ORDER BY path').all(),
});

vi.setConfig({ testTimeout: 60_000 });

const names = [
  'a.md',
  'a (conflict 1).md',
  'a_BASE_12.md',
  'n/b.md',
  'n/b.sync-conflict-20260101-101010.md',
  'n/deep/c.md',
  'index.md',
  'notes.txt',
  '~a.md.tmp',
];
const contents = [
  rule('one'),
  rule('two'),
  '# Ordinary\n',
  '---\ntype: [\n---\n',
  `<<<<<<< ours\n${rule('x')}=======\n>>>>>>> theirs\n`,
  '',
];

type Step =
  | { readonly do: 'commit' | 'edit'; readonly name: string; readonly content: string }
  | { readonly do: 'remove' | 'delete'; readonly name: string }
  | { readonly do: 'event'; readonly cause: number }
  | { readonly do: 'move' }
  | { readonly do: 'level'; readonly who: number; readonly of: readonly string[] | null };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('commit' as const, 'edit' as const),
    name: fc.constantFrom(...names),
    content: fc.constantFrom(...contents),
  }),
  fc.record({ do: fc.constantFrom('remove' as const, 'delete' as const), name: fc.constantFrom(...names) }),
  fc.record({ do: fc.constant('event' as const), cause: fc.nat(5) }),
  fc.record({ do: fc.constant('move' as const) }),
  fc.record({
    do: fc.constant('level' as const),
    who: fc.nat(2),
    of: fc.constantFrom(null, ['texts'], ['others'], ['event_graph'], ['others', 'event_graph']),
  }),
);

test('after any commits, hand edits, deletions and moves, and levellings of any projections, what was followed step by step is what a rebuild makes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async steps => {
      const { root, store, open } = await diskVault();
      // Two that share a database, and one that is told of every hand edit and never scans again.
      const given = () => ({ projections: [texts(), texts('1', 'others'), eventGraph] });
      const watched = open({ ...given(), inMemory: true });
      watched.watched(true);
      const all = [open(given()), open(given()), watched];
      await watched.of('texts').level();
      const ids: string[] = [];
      const append = async (subject: string, after: string | null, cause: number): Promise<void> => {
        const event = sampleEvent({ subject, after_hash: after, workspace_id: workspaceId, causation_id: ids.at(-cause - 1) ?? null });
        ids.push(event.event_id);
        await store.events.append(event);
      };
      const at = (name: string): string => join(root, ...name.split('/'));
      for (const one of steps) {
        switch (one.do) {
          case 'edit':
            mkdirSync(dirname(at(one.name)), { recursive: true });
            writeFileSync(at(one.name), one.content);
            watched.touched([one.name]);
            break;
          case 'commit':
            mkdirSync(dirname(at(one.name)), { recursive: true });
            writeFileSync(at(one.name), one.content);
            await append(one.name, hashContent(one.content), 0);
            break;
          case 'delete':
            rmSync(at(one.name), { force: true });
            watched.touched([one.name]);
            break;
          case 'remove':
            rmSync(at(one.name), { force: true });
            await append(one.name, null, 1);
            break;
          case 'event':
            await append('flow', null, one.cause);
            break;
          case 'move':
            if (!existsSync(at('n')) || existsSync(at('m'))) break;
            renameSync(at('n'), at('m'));
            watched.touched(['n/', 'm/']);
            break;
          case 'level':
            await (one.of === null ? all[one.who] : all[one.who]?.of(...one.of))?.level();
        }
      }
      for (const one of all) await one.level();
      const fresh = open({ ...given(), inMemory: true });
      await fresh.level();
      const wanted = await fresh.read(allRows);
      for (const one of all) expect(await one.read(allRows)).toEqual(wanted);
      await all[0]?.rebuild();
      expect(await all[1]?.read(allRows)).toEqual(wanted);
      expect(all.flatMap(({ notices }) => notices)).toEqual([]);
      for (const one of [...all, fresh]) await one.close();
      await store.close();
      rmSync(root, { recursive: true, force: true });
    }),
    { numRuns: 12 },
  );
});
