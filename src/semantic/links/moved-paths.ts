import type { CanonicalEvent } from '#adapter-contracts';

/** Where documents went that are no longer at a path, as far as the log tells. */
interface MovedPaths {
  /** Takes over one event, in log order. */
  readonly observe: (event: CanonicalEvent) => void;
  /** Where the document that was last at `path` is now; null while the log does not say, or says that it is gone. */
  readonly whereTo: (path: string) => string | null;
}

/**
 * Follows moves through the log (readings: links between documents): a document that was removed, and one that was made with the same bytes or by the same step of
 * `sheaf mv`, are one. What was made first at the new place and then removed at the old one counts as well as the other order.
 */
export const createMovedPaths = (): MovedPaths => {
  const moves = new Map<string, string>();
  const gone = new Set<string>();
  const madeWith = new Map<string, string>();
  const madeInMove = new Map<string, string>();
  const removedWith = new Map<string, string>();
  const move = (from: string, to: string): void => {
    if (from !== to) moves.set(from, to);
  };
  const made = (path: string, hash: string | null): void => {
    gone.delete(path);
    moves.delete(path);
    if (hash === null) return;
    const from = removedWith.get(hash);
    if (from !== undefined && gone.has(from)) move(from, path);
    madeWith.set(hash, path);
  };
  const removed = (path: string, hash: string | null, event: CanonicalEvent): void => {
    gone.add(path);
    const step = moveStep(event);
    const inMove = step === null ? undefined : madeInMove.get(step);
    const to = inMove ?? (hash === null ? undefined : madeWith.get(hash));
    if (to !== undefined && !gone.has(to)) move(path, to);
    if (hash !== null) removedWith.set(hash, path);
  };
  return {
    observe(event) {
      const change = documentChange(event);
      if (change === null) return;
      if (change.action === 'create') {
        made(event.subject, change.after);
        const step = moveStep(event);
        if (step !== null) madeInMove.set(step, event.subject);
      } else removed(event.subject, change.before, event);
    },
    whereTo(path) {
      let at = moves.get(path);
      for (const seen = new Set([path]); at !== undefined && gone.has(at); at = moves.get(at)) {
        if (seen.has(at)) return null;
        seen.add(at);
      }
      return at ?? null;
    },
  };
};

/** Steps of one move share what stands between `mv-` and the last dash of their keys. */
const moveStep = ({ idempotency_key: key }: CanonicalEvent): string | null =>
  /^(mv-[0-9a-f]{64})-(?:create|delete)$/.exec(key)?.[1] ?? null;

interface DocumentChange {
  readonly action: 'create' | 'delete';
  readonly before: string | null;
  readonly after: string | null;
}

/** The making or removing of a document that an event records, be it of the contract or an adopted hand edit. */
const documentChange = (event: CanonicalEvent): DocumentChange | null => {
  const { action, before_hash: before, after_hash: after, payload } = event;
  if (action === 'create' || action === 'delete') return { action, before, after };
  if (action !== 'event' || !isAdoption(payload)) return null;
  const adopted = payload.action;
  return adopted === 'create' || adopted === 'delete' ? { action: adopted, before: payload.before_hash, after: payload.after_hash } : null;
};

interface Adoption {
  readonly event_type: 'document_adopted';
  readonly action: unknown;
  readonly before_hash: string | null;
  readonly after_hash: string | null;
}

const isAdoption = (payload: unknown): payload is Adoption =>
  typeof payload === 'object' && payload !== null && 'event_type' in payload && payload.event_type === 'document_adopted';
