import { canonicalJson, hashContent } from '#document';

/** The members of an envelope that make one request differ from another (§6.4). */
export interface HashedRequest {
  readonly type: string;
  readonly workspace_id: string;
  readonly idempotency_key: string;
  readonly path: string;
  readonly primitive_type?: string | undefined;
  readonly content?: string | undefined;
  readonly patches?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * `sha256:<hex>` over the canonical JSON of what is asked and who asks (§6.4). Absent members are left out, and the member names equal the
 * reference implementation's, so that kernels that share a log agree.
 */
export function requestHash(request: HashedRequest, principalId: string): string {
  const { type, workspace_id, idempotency_key, path, primitive_type, content, patches } = request;
  const hashed: Record<string, unknown> = { type, workspace_id, idempotency_key, path, verified_principal_id: principalId };
  if (primitive_type !== undefined) hashed.primitive_type = primitive_type;
  if (content !== undefined) hashed.content = content;
  if (patches !== undefined) hashed.patches = patches;
  return hashContent(canonicalJson(hashed));
}
