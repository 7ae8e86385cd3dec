import { createHash } from 'node:crypto';
import { type CanonicalEvent, recordedState } from '#adapter-contracts';
import type { EventPlace, IndexedEvent } from './event-index.ts';

/** Digest under which a key is indexed; the JSON array keeps (`a`, `b:c`) and (`a:b`, `c`) apart. */
export const keyHash = (workspaceId: string, key: string): Uint8Array =>
  createHash('sha256')
    .update(JSON.stringify([workspaceId, key]))
    .digest()
    .subarray(0, 16);

export const lineDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const isText = (value: unknown): value is string => typeof value === 'string';

/** What the index keeps of `event`. Fields of foreign records are looked at before they are believed. */
export const indexedEvent = (event: CanonicalEvent, place: EventPlace): IndexedEvent => {
  const { event_id: eventId, workspace_id: workspaceId, idempotency_key: key, subject } = event;
  const recorded = isText(workspaceId) && isText(subject) && isText(event.action) ? recordedState(event) : null;
  return {
    eventId,
    keyHash: isText(workspaceId) && isText(key) ? keyHash(workspaceId, key) : null,
    place,
    recorded:
      recorded === null || !isText(recorded.timestamp) || !(recorded.hash === null || isText(recorded.hash))
        ? null
        : { ...recorded, workspaceId, path: subject },
  };
};
