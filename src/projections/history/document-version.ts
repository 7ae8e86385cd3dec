import { type CanonicalEvent, type EventAction, recordedState } from '#adapter-contracts';
import { isContentHash } from './content-store.ts';

/** One event that changed a document or accepted a hand edit of it: what stood there before and what it left. */
export interface DocumentVersion {
  readonly event: CanonicalEvent;
  readonly path: string;
  /** What happened; of an adoption, what the person had done. */
  readonly action: EventAction;
  /** The qualified type the log recorded, null when it says none. */
  readonly primitiveId: string | null;
  /** `sha256:<hex>`; null = there was no document. */
  readonly before: string | null;
  /** Null = the document was removed. */
  readonly after: string | null;
  readonly adopted: boolean;
}

/** What an event says about the content of its subject (§8.2); null for events that touch no document. */
export const documentVersion = (event: CanonicalEvent): DocumentVersion | null => {
  const state = recordedState(event);
  if (state === null) return null;
  const { subject: path } = event;
  if (!state.adopted) {
    const { action, primitive_id: primitiveId, before_hash: before, after_hash: after } = event;
    return { event, path, action, primitiveId, before: hashOrNull(before), after: hashOrNull(after), adopted: false };
  }
  const { before_hash: before, primitive_id: primitiveId } = event.payload as Readonly<Record<string, unknown>>;
  const [was, is] = [hashOrNull(before), state.hash];
  return {
    event,
    path,
    action: adoptedAction(was, is),
    primitiveId: typeof primitiveId === 'string' ? primitiveId : null,
    before: was,
    after: is,
    adopted: true,
  };
};

const hashOrNull = (hash: unknown): string | null => (isContentHash(hash) ? hash : null);

/** By the hashes, which everything else rests on; what the payload says besides may be anything in a log from elsewhere. */
const adoptedAction = (before: string | null, after: string | null): EventAction => {
  if (after === null) return 'delete';
  return before === null ? 'create' : 'replace';
};
