// A caller of the store as the kernel is one: what the tests of this room commit and recover with.
import {
  type CanonicalEvent,
  type CommitScope,
  type RecoveryReport,
  type ResolveIntent,
  UnknownAppendOutcomeError,
} from '#adapter-contracts';
import { hashContent } from '#document';
import type { FsStore } from './fs-store.ts';

type Store = Pick<FsStore, 'vfs' | 'events'>;

/** The table of §6.3. */
const resolverOf =
  ({ events }: Store): ResolveIntent =>
  async (intent, target) => {
    if ((await events.findById(intent.event_id)) !== null) return 'committed';
    const hash = (await target.read())?.hash ?? null;
    if (hash === intent.intended_hash) {
      await target.restore(intent.prior);
      return 'rolled_back';
    }
    return hash === intent.prior_hash ? 'discarded' : 'conflict';
  };

const journalOf = ({ vfs }: Store) => {
  const journal = vfs.intentJournal?.();
  if (journal === undefined) throw new Error('the store has no intent journal');
  return journal;
};

export const recover = (store: Store): Promise<readonly RecoveryReport[]> => journalOf(store).recover(resolverOf(store));

export type Commit = (
  store: Store,
  path: string,
  text: string | null,
  between?: (event: CanonicalEvent) => Promise<void>,
) => Promise<CanonicalEvent>;

/**
 * Makes the caller: it commits `text` (null removes) at a path and returns the event, undoing its write when the event cannot be appended. `between`
 * runs after the document is written and before its event.
 */
export const committing =
  (sampleEvent: (overrides: Partial<CanonicalEvent>) => CanonicalEvent): Commit =>
  async (store, path, text, between = async () => undefined) => {
    const prior = await store.vfs.read(path);
    const bytes = text === null ? null : new TextEncoder().encode(text);
    const after_hash = bytes === null ? null : hashContent(bytes);
    const action = bytes === null ? 'delete' : prior === null ? 'create' : 'replace';
    const event = sampleEvent({ subject: path, action, before_hash: prior?.hash ?? null, after_hash });
    const { workspace_id, event_id } = event;
    const intent = {
      workspace_id,
      path,
      event_id,
      prior: prior?.bytes ?? null,
      prior_hash: prior?.hash ?? null,
      intended_hash: after_hash,
    };
    const put = async (content: Uint8Array | null): Promise<void> => {
      const now = await store.vfs.read(path);
      if (content !== null) await store.vfs.writeAtomic(path, content, now ?? { ifAbsent: true });
      else if (now !== null) await store.vfs.remove(path, now);
    };
    const run = async (scope: CommitScope): Promise<CanonicalEvent> => {
      if (bytes !== null) await store.vfs.writeAtomic(path, bytes, prior ?? { ifAbsent: true });
      else if (prior !== null) await store.vfs.remove(path, prior);
      try {
        await between(event);
        await store.events.append(event);
      } catch (error) {
        if (error instanceof UnknownAppendOutcomeError) scope.keepIntent();
        else await put(intent.prior).catch(() => scope.keepIntent());
        throw error;
      }
      return event;
    };
    return journalOf(store).run(path, intent, run, { resolve: resolverOf(store) });
  };

export const textAt = async ({ vfs }: Store, path: string): Promise<string | null> => {
  const stored = await vfs.read(path);
  return stored === null ? null : new TextDecoder().decode(stored.bytes);
};

export const replayed = async ({ events }: Store): Promise<readonly CanonicalEvent[]> => {
  const all: CanonicalEvent[] = [];
  for await (const { event } of events.replay()) all.push(event);
  return all;
};
