import type { CanonicalEvent, LastRecorded } from './event-store.ts';

const contentHash = /^sha256:[0-9a-f]{64}$/;

/**
 * What one event says about the stored state of its subject, or null when it says nothing: a mutation tells its `after_hash`, an adopted hand
 * edit (an `event` whose payload is a `document_adopted`) the hash it accepted. Every store derives `lastRecorded` from this one rule.
 */
export const recordedState = (
  event: Pick<CanonicalEvent, 'event_id' | 'timestamp' | 'action' | 'after_hash' | 'payload'>,
): LastRecorded | null => {
  const base = { event_id: event.event_id, timestamp: event.timestamp };
  if (event.action !== 'event') return { ...base, hash: event.after_hash, adopted: false };
  const { payload } = event;
  if (typeof payload !== 'object' || payload === null || !('event_type' in payload) || payload.event_type !== 'document_adopted')
    return null;
  // A malformed adoption records nothing: drift must stay visible rather than be compared with a hash nobody computed.
  if (!('after_hash' in payload)) return null;
  const { after_hash: hash } = payload;
  if (hash !== null && !(typeof hash === 'string' && contentHash.test(hash))) return null;
  return { ...base, hash, adopted: true };
};
