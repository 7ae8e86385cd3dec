import { type CanonicalEvent, type StoredDocument, UnknownAppendOutcomeError } from '#adapter-contracts';
import { ChangeFailedError, type DocumentChange } from './change-step.ts';
import type { CommitEntry } from './commit-entry.ts';
import { createGathering } from './gathering.ts';

/** Commits that run together and meet at each barrier: documents durable, then events durable (§6.3). */
export interface Batch {
  /** The running entry for a path, or for an event id. */
  byPath(path: string): CommitEntry | undefined;
  byEvent(eventId: string): CommitEntry | undefined;
  change(entry: CommitEntry, change: DocumentChange): Promise<StoredDocument | null>;
  append(entry: CommitEntry, event: CanonicalEvent): Promise<void>;
  /** Starts every commit in one turn; resolves when all have settled, each with its `result`. */
  run(): Promise<void>;
}

export interface BatchSteps {
  applyChanges(changes: readonly DocumentChange[]): Promise<readonly PromiseSettledResult<StoredDocument | null>[]>;
  appendEvents(events: readonly CanonicalEvent[]): Promise<readonly (Error | null)[]>;
}

export const createBatch = (entries: readonly CommitEntry[], steps: BatchSteps): Batch => {
  const running = new Set(entries);
  const entriesByPath = new Map(entries.map(entry => [entry.path, entry]));
  const entriesByEvent = new Map(entries.map(entry => [entry.intent.event_id, entry]));
  const documents = createGathering(
    () => running.size,
    (changes: readonly DocumentChange[]) => steps.applyChanges(changes),
  );
  const events = createGathering<CanonicalEvent, void>(
    () => running.size,
    async group => {
      const verdicts = await steps.appendEvents(group);
      return verdicts.map(failure =>
        failure === null ? { status: 'fulfilled', value: undefined } : { status: 'rejected', reason: failure },
      );
    },
  );
  const ifRunning = (entry: CommitEntry | undefined): CommitEntry | undefined =>
    entry !== undefined && running.has(entry) ? entry : undefined;
  const finish = (entry: CommitEntry): void => {
    running.delete(entry);
    documents.expectLess();
    events.expectLess();
  };
  const runOne = async (entry: CommitEntry): Promise<void> => {
    const scope = {
      resolved: entry.reports,
      keepIntent: (): void => {
        entry.kept = true;
      },
    };
    try {
      entry.result = { status: 'fulfilled', value: await entry.commit(scope) };
    } catch (reason) {
      entry.result = { status: 'rejected', reason };
    } finally {
      finish(entry);
    }
  };
  return {
    byPath: path => ifRunning(entriesByPath.get(path)),
    byEvent: eventId => ifRunning(entriesByEvent.get(eventId)),
    async change(entry, change) {
      if (entry.refusal !== null) throw entry.refusal;
      try {
        return await documents.add(change);
      } catch (error) {
        // The disk may show either content after a power cut: only recovery can tell.
        if (error instanceof ChangeFailedError) entry.kept = true;
        throw error;
      }
    },
    async append(entry, event) {
      if (entry.refusal !== null) throw entry.refusal;
      try {
        await events.add(event);
        entry.committed = true;
      } catch (error) {
        if (error instanceof UnknownAppendOutcomeError) entry.kept = true;
        throw error;
      }
    },
    run: async () => {
      await Promise.all(entries.map(runOne));
    },
  };
};
