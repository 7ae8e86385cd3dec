import type { FieldIssue } from '#errors';

interface Issues {
  readonly issues: readonly FieldIssue[];
}

/** What can be wrong with a set of registries, and what each carries. A table of its own: these never answer an envelope. */
export interface RegistryErrorDetails {
  /** A registry or lock file that cannot be read as one. */
  registry_invalid: Issues & { readonly source: string };
  /** Two registries claim one name (§5.6). */
  registry_collision: { readonly name: string; readonly claimedBy: readonly [string, string] };
  /** A `requires` entry is missing or out of range (§5.6). */
  registry_requirement: { readonly extension: string; readonly requires: string; readonly range: string; readonly found: string | null };
  /** The composed registry is not the one the lock pins (§5.6). */
  registry_drift: { readonly expected: string; readonly actual: string };
  /** `primitive` documents that cannot become an extension (readings: extensions). */
  primitive_invalid: Issues & { readonly namespace: string };
}

export type RegistryErrorCode = keyof RegistryErrorDetails;

/**
 * The registries of a vault do not make one registry; nothing may start on them.
 *
 * @example throw new RegistryError('registry_drift', { expected, actual }, 'The registry changed since it was locked.');
 */
export class RegistryError<C extends RegistryErrorCode = RegistryErrorCode> extends Error {
  override readonly name = 'RegistryError';
  readonly code: C;
  readonly details: RegistryErrorDetails[C];

  constructor(code: C, details: RegistryErrorDetails[C], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** The union over the codes, so that `switch (error.code)` narrows `details`. */
export type AnyRegistryError = { [C in RegistryErrorCode]: RegistryError<C> }[RegistryErrorCode];

export const isRegistryError = (error: unknown): error is AnyRegistryError => error instanceof RegistryError;

const placed = (source: string, issue: FieldIssue): string =>
  issue.line === undefined ? issue.issue : `${source}:${issue.line}:${issue.column ?? 1}: ${issue.issue}`;

/** A file's problems as one error whose message shows each with its place. */
export function invalidRegistry(source: string, issues: readonly FieldIssue[], options?: ErrorOptions): RegistryError<'registry_invalid'> {
  const message = `${source} is not usable:\n${issues.map(issue => `  ${placed(source, issue)}`).join('\n')}`;
  return new RegistryError('registry_invalid', { source, issues }, message, options);
}
