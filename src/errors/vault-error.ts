/** One thing wrong at one place; the unit of repair feedback (§9). */
export interface FieldIssue {
  /** Frontmatter key, envelope member, or `frontmatter`, `body`, `path`. Never empty. */
  readonly field: string;
  /** What is wrong and what to do about it, for a person or an agent. */
  readonly issue: string;
  /** 1-based line in the document, when the issue has a place there. */
  readonly line?: number;
  /** 1-based column in UTF-16 code units. */
  readonly column?: number;
}

interface Reasons {
  readonly issues?: readonly FieldIssue[];
}

/** The nine codes of §6.5 and what each carries. Codes are append-only; nobody branches on messages. */
export interface ErrorDetails {
  invalid_request: Reasons;
  unauthorized: Reasons;
  forbidden: Reasons & { readonly missing?: readonly string[] };
  not_found: Reasons & { readonly path: string };
  lease_conflict: Reasons & { readonly path: string };
  version_conflict: Reasons & { readonly path: string };
  idempotency_conflict: Reasons;
  validation_failed: { readonly issues: readonly FieldIssue[]; readonly type?: string | null; readonly warnings?: readonly string[] };
  internal_error: Reasons;
}

export type ErrorCode = keyof ErrorDetails;

/**
 * The only error that means "this envelope is refused". Stages and adapters throw it; the pipeline runner is the one
 * place that turns it into a response.
 *
 * @example throw new VaultError('not_found', { path }, `No document at '${path}'.`);
 */
export class VaultError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'VaultError';
  readonly code: C;
  readonly details: ErrorDetails[C];

  constructor(code: C, details: ErrorDetails[C], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/**
 * The refusal of one member, header or argument, which names it (§6.5).
 *
 * @example throw invalidMember('limit', 'must be a whole number');
 */
export const invalidMember = (field: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field, issue }] }, `${field}: ${issue}`);

/** The union over the codes, so that `switch (error.code)` narrows `details`. */
export type AnyVaultError = { [C in ErrorCode]: VaultError<C> }[ErrorCode];

export const isVaultError = (error: unknown): error is AnyVaultError => error instanceof VaultError;
