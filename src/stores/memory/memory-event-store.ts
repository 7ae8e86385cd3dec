import { type CanonicalEvent, DuplicateEventError, type EventStore, type LastRecorded, recordedState } from '#adapter-contracts';
import { VaultError } from '#errors';
import { immutableCopy } from './immutable-copy.ts';

/** How many events stand before the cursor. Throws `VaultError('invalid_request')` for a cursor this log never gave. */
const cursorPosition = (cursor: string | undefined, length: number): number => {
  if (cursor === undefined) return 0;
  const position = /^[1-9][0-9]{0,15}$/.test(cursor) ? Number(cursor) : 0;
  if (position >= 1 && position <= length) return position;
  const issue = 'this log never gave that cursor; replay from the beginning instead';
  throw new VaultError('invalid_request', { issues: [{ field: 'cursor', issue }] }, `cursor: ${issue}.`);
};

/** The event log of a memory workspace (§8). A cursor is the number of events up to and including the one it follows. */
export const createMemoryEventStore = (): EventStore => {
  const events: CanonicalEvent[] = [];
  const positionsById = new Map<string, number>();
  const eventsById = new Map<string, CanonicalEvent>();
  const eventsByKey = new Map<string, CanonicalEvent>();
  const statesByWorkspace = new Map<string, Map<string, LastRecorded>>();
  const keySlot = (workspaceId: string, key: string) => JSON.stringify([workspaceId, key]);
  const record = (event: CanonicalEvent): void => {
    const state = recordedState(event);
    if (state === null) return;
    const states = statesByWorkspace.get(event.workspace_id) ?? new Map<string, LastRecorded>();
    statesByWorkspace.set(event.workspace_id, states.set(event.subject, Object.freeze(state)));
  };
  return {
    async append(event) {
      const slot = keySlot(event.workspace_id, event.idempotency_key);
      if (eventsById.has(event.event_id)) throw new DuplicateEventError('event_id', event.event_id);
      if (eventsByKey.has(slot)) throw new DuplicateEventError('idempotency_key', event.idempotency_key);
      const kept = immutableCopy(event);
      events.push(kept);
      eventsById.set(kept.event_id, kept);
      positionsById.set(kept.event_id, events.length);
      eventsByKey.set(slot, kept);
      record(kept);
    },
    async *replay({ cursor, workspaceId } = {}) {
      // The end is fixed at the start: a consumer that appends while it reads must not chase its own events.
      const end = events.length;
      const start = cursorPosition(cursor, end);
      for (const [offset, event] of events.slice(start, end).entries()) {
        if (workspaceId !== undefined && event.workspace_id !== workspaceId) continue;
        yield { event, cursor: String(start + offset + 1) };
      }
    },
    async end() {
      return events.length === 0 ? null : String(events.length);
    },
    async cursorAfter(eventId) {
      const position = positionsById.get(eventId);
      return position === undefined ? null : String(position);
    },
    async findByIdempotencyKey(workspaceId, key) {
      return eventsByKey.get(keySlot(workspaceId, key)) ?? null;
    },
    async findById(eventId) {
      return eventsById.get(eventId) ?? null;
    },
    async lastRecorded(workspaceId, path) {
      return statesByWorkspace.get(workspaceId)?.get(path) ?? null;
    },
    async *lastRecordedAll(workspaceId, { after = '' } = {}) {
      const states = [...(statesByWorkspace.get(workspaceId) ?? [])].filter(([path]) => path > after);
      for (const [path, state] of states.sort(([a], [b]) => (a < b ? -1 : 1))) yield { path, ...state };
    },
    async damage() {
      return [];
    },
  };
};
