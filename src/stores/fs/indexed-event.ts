import { hash } from 'node:crypto';
import { type CanonicalEvent, recordedState } from '#adapter-contracts';
import type { EventPlace, IndexedEvent } from './event-index.ts';

/** Digest under which a key is indexed; the JSON array keeps (`a`, `b:c`) and (`a:b`, `c`) apart. */
export const keyHash = (workspaceId: string, key: string): Uint8Array =>
  hash('sha256', JSON.stringify([workspaceId, key]), 'buffer').subarray(0, 16);

export const lineDigest = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

/** What the index keeps of `event`. A record of another kernel may lack a hash; then it says nothing about the document. */
export const indexedEvent = (event: CanonicalEvent, place: EventPlace): IndexedEvent => {
  const { event_id: eventId, workspace_id: workspaceId, idempotency_key: key, subject: path } = event;
  const recorded = recordedState(event);
  const known = recorded !== null && (recorded.hash === null || typeof recorded.hash === 'string');
  return { eventId, keyHash: keyHash(workspaceId, key), place, recorded: known ? { ...recorded, workspaceId, path } : null };
};
