// What a crowd of writers tried and was told, and what must hold of the vault whatever happened to them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import type { Vault } from '#api';
import { hashContent } from '#document';

export interface Request {
  readonly type: 'operation' | 'patch' | 'delete' | 'event';
  readonly workspace_id: string;
  readonly path: string;
  readonly idempotency_key: string;
  readonly content?: string;
  readonly patches?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly success: boolean;
  readonly event_id?: string;
  readonly committed_at: string | null;
  readonly replay?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

export const writerPrincipal = (name: string) => ({
  id: `agent:${name}`,
  kind: 'agent' as const,
  workspaceIds: ['ws-crash'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
});

/** Everything that was ever sent to one vault. */
export interface History {
  readonly tried: Map<string, { readonly request: Request; readonly principal: ReturnType<typeof writerPrincipal> }>;
  readonly told: Map<string, Answer>;
  /** Keys whose commit was acknowledged, with the event they were told. */
  readonly acknowledged: Map<string, string>;
}

export const createHistory = (): History => ({ tried: new Map(), told: new Map(), acknowledged: new Map() });

/** Takes in what one writer said. */
export const remember = (history: History, name: string, lines: readonly unknown[]): void => {
  for (const line of lines as readonly { try?: Request; done?: string; response?: Answer }[]) {
    if (line.try) history.tried.set(line.try.idempotency_key, { request: line.try, principal: writerPrincipal(name) });
    if (line.done && line.response) note(history, line.done, line.response);
  }
};

const note = ({ told, acknowledged }: History, key: string, answer: Answer): void => {
  told.set(key, answer);
  if (answer.success && answer.event_id) acknowledged.set(key, answer.event_id);
};

export const eventsOf = async (vault: Vault): Promise<readonly CanonicalEvent[]> => {
  const events: CanonicalEvent[] = [];
  for await (const { event } of vault.events()) events.push(event);
  return events;
};

/** As `checkHistory`, of a vault on disk; returns its events. */
export const checkPromises = async (history: History, vault: Vault): Promise<readonly CanonicalEvent[]> => {
  const events = await eventsOf(vault);
  checkHistory(history, events, path => {
    const file = join(vault.root ?? '', path);
    return existsSync(file) ? hashContent(readFileSync(file)) : null;
  });
  return events;
};

/**
 * What is promised of a vault whatever happened to its writers: nothing acknowledged is missing, nothing refused or never asked for is there, nothing
 * stands twice, every change rests on the one before it, and document and log agree.
 */
export const checkHistory = (history: History, events: readonly CanonicalEvent[], hashAt: (path: string) => string | null): void => {
  const byKey = new Map(events.map(event => [event.idempotency_key, event]));
  expect(byKey.size, 'no key stands twice in the log').toBe(events.length);
  expect(new Set(events.map(event => event.event_id)).size, 'no id stands twice in the log').toBe(events.length);
  for (const [key, id] of history.acknowledged) expect(byKey.get(key)?.event_id, `acknowledged ${key} is in the log`).toBe(id);
  for (const [key, answer] of history.told) {
    if (!answer.success && !isOpen(answer)) expect(byKey.has(key), `refused ${key} (${answer.error?.message}) left no event`).toBe(false);
  }
  for (const event of events) checkAskedFor(history, event);
  const last = new Map<string, CanonicalEvent>();
  for (const event of events) {
    if (event.action === 'event') continue;
    const before = last.get(event.subject)?.after_hash ?? null;
    expect(event.before_hash, `${event.action} of ${event.subject} by ${event.idempotency_key} rests on the change before it`).toBe(before);
    last.set(event.subject, event);
  }
  for (const { request } of history.tried.values()) {
    const event = last.get(request.path);
    expect(hashAt(request.path), `${request.path} is what its last event ${event?.idempotency_key} says`).toBe(event?.after_hash ?? null);
  }
};

/** An append whose outcome is unknown may be in the log; its answer says so, and a retry tells. */
const isOpen = ({ error }: Answer): boolean => error?.code === 'internal_error' && error.message.startsWith('It is unknown');

/** An event is what somebody asked for, and nothing else. */
const checkAskedFor = ({ tried }: History, event: CanonicalEvent): void => {
  const request = tried.get(event.idempotency_key)?.request;
  expect(request?.path, `the event of key ${event.idempotency_key} was asked for`).toBe(event.subject);
  if (request?.type === 'operation') expect(event.after_hash).toBe(hashContent(request.content ?? ''));
  if (request?.type === 'delete') expect(event.after_hash).toBeNull();
};

/** Sends again everything nobody was told the outcome of: what is in the log replays, everything else happens now, once. */
export const retryUnanswered = async (history: History, vault: Vault, events: readonly CanonicalEvent[]): Promise<void> => {
  const byKey = new Map(events.map(event => [event.idempotency_key, event]));
  for (const [key, { request, principal }] of history.tried) {
    const told = history.told.get(key);
    if (told !== undefined && !isOpen(told)) continue;
    const answer = (await vault.execute(request, { principal })) as Answer;
    const before = byKey.get(key);
    if (before) expect({ replay: answer.replay, id: answer.event_id }, key).toEqual({ replay: true, id: before.event_id });
    else expect(answer.replay ?? false, key).toBe(false);
    note(history, key, answer);
  }
};
