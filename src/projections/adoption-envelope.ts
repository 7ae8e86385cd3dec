import { canonicalJson, hashContent } from '#document';

/** A hand edit that is to be recorded in the log. */
export interface Adoption {
  readonly workspaceId: string;
  readonly path: string;
  readonly action: 'create' | 'replace' | 'delete';
  /** Qualified type of the document, or `ssss:index`. */
  readonly primitiveId: string;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  /**
   * The event that last recorded the path. Given only when the plain key was used before: a file that goes A → B → A → B by hand meets the first
   * adoption's key again, and its replay would record nothing.
   */
  readonly after?: string;
}

interface AdoptionEnvelope {
  readonly type: 'event';
  readonly workspace_id: string;
  readonly idempotency_key: string;
  readonly path: string;
  readonly content: string;
}

/**
 * The `event` envelope that accepts a hand edit (§6.2). The key follows from the content, so several processes that adopt the same edit record
 * it once.
 */
export const adoptionEnvelope = (adoption: Adoption): AdoptionEnvelope => {
  const { workspaceId, path, action, primitiveId, beforeHash, afterHash, after } = adoption;
  const basis = [workspaceId, path, beforeHash, afterHash, ...(after === undefined ? [] : [after])];
  const digest = hashContent(JSON.stringify(basis)).replace('sha256:', '');
  const payload = { event_type: 'document_adopted', action, primitive_id: primitiveId, before_hash: beforeHash, after_hash: afterHash };
  return { type: 'event', workspace_id: workspaceId, idempotency_key: `adopt-${digest}`, path, content: canonicalJson(payload) };
};
