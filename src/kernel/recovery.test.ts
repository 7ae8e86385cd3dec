import { expect, test } from 'vitest';
import type { CommitIntent, IntentJournal, RecoveryReport, StoredDocument } from '#adapter-contracts';
import { hashContent } from '#document';
import { createMemoryStore } from '#stores/memory';
import { op, openHarness, patch, rule } from '../../test/kernel-model/kernel-harness.ts';
import { createInProcessJournal } from './in-process-journal.ts';
import { createResolver, lockedTarget } from './recovery.ts';

const bytes = (text: string) => Buffer.from(text);
const storeWith = async (text: string | null) => {
  const store = createMemoryStore();
  if (text !== null) await store.vfs.writeAtomic('a.md', bytes(text), { ifAbsent: true });
  return store;
};
const intentOf = (prior: string | null, intended: string | null): CommitIntent => ({
  workspace_id: 'ws-a',
  path: 'a.md',
  event_id: 'e1',
  prior: prior === null ? null : bytes(prior),
  prior_hash: prior === null ? null : hashContent(prior),
  intended_hash: intended === null ? null : hashContent(intended),
});
const textOf = (stored: StoredDocument | null) => (stored === null ? null : Buffer.from(stored.bytes).toString());

test.each([
  ['a create that landed', null, 'new', 'new', 'rolled_back', null],
  ['a create that never landed', null, 'new', null, 'discarded', null],
  ['a replace that landed', 'old', 'new', 'new', 'rolled_back', 'old'],
  ['a replace that never landed', 'old', 'new', 'old', 'discarded', 'old'],
  ['a delete that landed', 'old', null, null, 'rolled_back', 'old'],
  ['a delete that never landed', 'old', null, 'old', 'discarded', 'old'],
  ['an edit from outside', 'old', 'new', 'other', 'conflict', 'other'],
  ['a removal from outside', 'old', 'new', null, 'conflict', null],
  ['a file from outside in place of a delete', 'old', null, 'other', 'conflict', 'other'],
] as const)('%s is decided by the document when the log has no event', async (_what, prior, intended, now, outcome, after) => {
  const { vfs, events } = await storeWith(now);
  expect(await createResolver(events)(intentOf(prior, intended), lockedTarget(vfs, 'a.md'))).toBe(outcome);
  expect(textOf(await vfs.read('a.md'))).toBe(after);
});

test('an event in the log decides, whatever the document says', async () => {
  for (const now of ['old', 'new', 'other', null]) {
    const { vfs, events } = await storeWith(now);
    const { accept, lastEvent } = openHarness();
    await accept(op('a.md', rule('x')));
    await events.append({ ...(await lastEvent()), event_id: 'e1' });
    expect(await createResolver(events)(intentOf('old', 'new'), lockedTarget(vfs, 'a.md'))).toBe('committed');
    expect(textOf(await vfs.read('a.md'))).toBe(now);
  }
});

/** A journal whose dead process left one intent behind. */
const leftover = (store: ReturnType<typeof createMemoryStore>, intent: CommitIntent): IntentJournal & { recoveries: number } => {
  const inner = createInProcessJournal(store.vfs);
  let left: CommitIntent | null = intent;
  const journal = {
    ...inner,
    recoveries: 0,
    async recover(resolve: Parameters<IntentJournal['recover']>[0]): Promise<readonly RecoveryReport[]> {
      journal.recoveries += 1;
      if (left === null) return [];
      const { workspace_id, path, event_id } = left;
      const outcome = await resolve(left, lockedTarget(store.vfs, path));
      left = null;
      return [{ workspace_id, path, event_id, outcome, ...(outcome === 'conflict' ? { kept_at: '.ssss-intents/kept/e1' } : {}) }];
    },
  };
  return journal;
};

test('what a dead process left is resolved once, before the first operation, and not for an anonymous caller', async () => {
  const store = await storeWith('half done');
  const journal = leftover(store, intentOf(null, 'half done'));
  const reports: RecoveryReport[] = [];
  const { accept, code } = openHarness({
    store,
    adapt: () => ({ vfs: { ...store.vfs, intentJournal: () => journal } }),
    onRecovery: found => reports.push(...found),
  });
  expect(await code(op('b.md', rule('x')), { principal: null })).toBe('unauthorized');
  expect(journal.recoveries).toBe(0);
  await accept(op('b.md', rule('x')));
  await accept(op('a.md', rule('y')), { ifMatch: null });
  expect(journal.recoveries).toBe(1);
  expect(reports).toMatchObject([{ path: 'a.md', outcome: 'rolled_back' }]);
});

test('a conflict is reported to the host and as a warning on the next commit, once', async () => {
  const store = await storeWith('edited outside');
  const journal = leftover(store, intentOf('old', 'new'));
  const { accept, lastEvent, text } = openHarness({
    store,
    adapt: () => ({ vfs: { ...store.vfs, intentJournal: () => journal } }),
    onRecovery() {
      throw new Error('a listener must not stop a commit');
    },
  });
  const first = await accept(op('b.md', rule('x')));
  expect(first.validation.warnings.join()).toContain('.ssss-intents/kept/e1');
  expect((await lastEvent()).payload).toEqual({ warnings: first.validation.warnings });
  expect((await accept(op('b.md', rule('y')))).validation.warnings).toEqual([]);
  expect(await text('a.md')).toBe('edited outside');
});

test('a recovery that fails refuses the envelope and is tried again', async () => {
  const store = createMemoryStore();
  let broken = true;
  const journal: IntentJournal = {
    ...createInProcessJournal(store.vfs),
    recover: async () => (broken ? Promise.reject(new Error('unreadable intent')) : []),
  };
  const { accept, refuse } = openHarness({ store, adapt: () => ({ vfs: { ...store.vfs, intentJournal: () => journal } }) });
  const { error } = await refuse(op('a.md', rule('x')));
  expect(error.code).toBe('internal_error');
  expect(error.message).toContain('unreadable intent');
  broken = false;
  await accept(op('a.md', rule('x')));
});

test('a commit in flight is waited for before it is taken for drift', async () => {
  const store = createMemoryStore();
  let release: () => void = () => undefined;
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  const slow = {
    ...store.events,
    append: async (event: Parameters<typeof store.events.append>[0]) => {
      if (event.changed_fields.includes('slow')) await held;
      await store.events.append(event);
    },
  };
  const { accept, send, calls } = openHarness({ store, adapt: () => ({ events: slow }) });
  await accept(op('a.md', rule('one\n')));
  const writer = send(patch('a.md', { slow: 1 }));
  while (!calls.includes('vfs.writeAtomic') || (await store.vfs.read('a.md'))?.hash === hashContent(rule('one\n'))) await Promise.resolve();
  const reader = send(patch('a.md', { quick: 1 }));
  release();
  expect(await writer).toMatchObject({ success: true });
  expect(await reader).toMatchObject({ success: true, validation: { warnings: [] } });
});
