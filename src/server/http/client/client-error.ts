import type { Document, ErrorCode, FailureResponse, FieldIssue } from './wire-types.ts';

/** The server refused, with the code and the remedy that it gave. */
export class SheafError extends Error {
  override readonly name: string = 'SheafError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: readonly FieldIssue[];

  constructor(code: ErrorCode, message: string, details: { readonly status: number; readonly issues?: readonly FieldIssue[] }) {
    super(message);
    this.code = code;
    this.status = details.status;
    this.issues = details.issues ?? [];
  }
}

/** Somebody else changed what a patch is about: a person, or whoever made the patch, has to decide. Nothing was written. */
export class ConflictError extends SheafError {
  override readonly name = 'ConflictError';
  readonly path: string;
  /** The keys of the patch that changed meanwhile; `__body__` is the body. */
  readonly keys: readonly string[];
  /** What the patch was made from, and what is stored now; null = deleted. */
  readonly base: Document;
  readonly current: Document | null;

  constructor(path: string, details: { readonly keys: readonly string[]; readonly base: Document; readonly current: Document | null }) {
    const what = details.current === null ? 'it was deleted' : `${details.keys.join(', ')} changed`;
    super('version_conflict', `'${path}' is no longer what the patch was made from: ${what}.`, { status: 409 });
    this.path = path;
    this.keys = details.keys;
    this.base = details.base;
    this.current = details.current;
  }
}

/** The refusal that a body of the contract's shape tells; any other body counts as what its status says. */
export const toSheafError = (status: number, body: unknown): SheafError => {
  const { error, repair } = (typeof body === 'object' && body !== null ? body : {}) as Partial<FailureResponse>;
  if (typeof error?.code !== 'string') return new SheafError(codeOf(status), `The server answered with status ${status}.`, { status });
  return new SheafError(error.code, String(error.message), { status, issues: repair?.field_errors ?? [] });
};

/** For what something between client and server answered, such as a proxy. */
const codeOf = (status: number): ErrorCode => {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'route_not_found';
  if (status === 413) return 'payload_too_large';
  if (status === 429) return 'rate_limited';
  if (status === 502 || status === 503 || status === 504) return 'unavailable';
  return status >= 500 ? 'internal_error' : 'invalid_request';
};
