import type { CanonicalEvent } from '#adapter-contracts';
import type { Attempt, History } from './history.ts';
import { type OpenedVault, workspaceId } from './opened-vault.ts';
import { createSequentialModel } from './sequential-model.ts';

/** A promise that was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export const fail = (what: string): never => {
  throw new Violation(what);
};

const eventsOf = async ({ store }: OpenedVault): Promise<readonly CanonicalEvent[]> => {
  const events: CanonicalEvent[] = [];
  for await (const { event } of store.events.replay()) events.push(event);
  return events;
};

/** The sendings of each request, by its key. */
export const attemptsByKey = ({ attempts }: History): ReadonlyMap<string, readonly Attempt[]> => {
  const byKey = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const key = attempt.request.envelope.idempotency_key;
    byKey.set(key, [...(byKey.get(key) ?? []), attempt]);
  }
  return byKey;
};

/** Compares the vault with all that was asked and told; throws a `Violation`. Returns the events by key. */
export const checkVault = async (vault: OpenedVault, history: History): Promise<ReadonlyMap<string, CanonicalEvent>> => {
  const events = await eventsOf(vault);
  const asked = attemptsByKey(history);
  const byKey = new Map(events.map(event => [event.idempotency_key, event]));
  if (byKey.size !== events.length) fail('a key stands twice in the log');
  if (new Set(events.map(({ event_id }) => event_id)).size !== events.length) fail('an event stands twice in the log');
  for (const surprise of history.surprises) fail(surprise);
  for (const [key, attempts] of asked) checkAnswers(key, attempts, byKey.get(key));
  const documents = checkOrder(events, asked);
  await checkDocuments(vault, documents);
  return byKey;
};

const saysCommitted = ({ response }: Attempt): boolean => response?.success === true && response.committed_at !== null;

/** Nothing acknowledged is lost, and nothing refused was done. */
const checkAnswers = (key: string, attempts: readonly Attempt[], event: CanonicalEvent | undefined): void => {
  let heard = 0;
  for (const { response } of attempts) {
    if (response === null) continue;
    heard += 1;
    if (response.success && response.committed_at !== null && response.event_id !== event?.event_id) {
      fail(`${key}: ${response.event_id} was acknowledged, and the log holds ${event?.event_id ?? 'no event'}`);
    }
    if (response.success || ['version_conflict', 'not_found', 'validation_failed', 'lease_conflict'].includes(response.error.code))
      continue;
    const twin = response.error.code === 'invalid_request' && response.error.message.includes('letter case');
    if (!twin) fail(`${key}: ${response.error.code}: ${response.error.message}`);
  }
  if (event !== undefined && heard === attempts.length && !attempts.some(saysCommitted))
    fail(`${key} is in the log although every answer said that it was not`);
};

/** The log is one after the other what was asked, in an order that contradicts nobody who waited for an answer before asking. */
const checkOrder = (events: readonly CanonicalEvent[], asked: ReadonlyMap<string, readonly Attempt[]>): ReadonlyMap<string, string> => {
  const model = createSequentialModel();
  let latestStart = 0;
  for (const event of events) {
    const key = event.idempotency_key;
    const attempts = asked.get(key) ?? fail(`nobody asked for the event of ${key}`);
    const wrong = model.step(event, attempts[0]!.request);
    if (wrong !== null) fail(`the event of ${key} (${event.action} ${event.subject}) ${wrong}`);
    const answeredAt = Math.min(...attempts.filter(saysCommitted).map(attempt => attempt.answeredAt));
    if (answeredAt < latestStart) fail(`${key} was answered before a request began whose event stands before it`);
    latestStart = Math.max(latestStart, Math.min(...attempts.map(({ startedAt }) => startedAt)));
  }
  return model.documents;
};

/** Every document is there byte for byte, and none besides. */
const checkDocuments = async ({ store }: OpenedVault, documents: ReadonlyMap<string, string>): Promise<void> => {
  for await (const { path, kind } of store.vfs.list()) {
    if (kind !== 'file' || !documents.has(path)) fail(`${path} (${kind}) stands in the vault, and the log does not know it`);
  }
  for (const [path, text] of documents) {
    const stored = await store.vfs.read(path);
    if (stored === null) fail(`${path} is gone`);
    else if (Buffer.from(stored.bytes).toString('utf8') !== text) fail(`${path} does not say what the log says`);
    const recorded = await store.events.lastRecorded(workspaceId, path);
    if (recorded?.hash !== stored?.hash) fail(`the index does not know the last state of ${path}`);
  }
};
