/** Failures that never reach the Operation Contract, with what mends each. Shown like contract codes: in brackets, and by `sheaf explain`. */
export const cliErrorCodes = {
  no_vault: 'No vault was found. Go into one, name one with --vault DIR, or make one with `sheaf init`.',
  vault_exists: 'The directory already is a vault or holds files that would be in the way. Choose another directory.',
  unreadable_input: 'A file given on the command line cannot be read, or does not hold what it should.',
  confirmation_needed: 'Policy asks a person to confirm this change. Repeat it with --confirm on a terminal.',
  not_appendable: 'The document is of a type that is replaced, not appended to. Use `sheaf patch PATH --body FILE`.',
  checks_failed: 'The command ran and found what it reports on standard output.',
} as const;

export type CliErrorCode = keyof typeof cliErrorCodes;

/** Wrong usage: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure of the command itself: exit status 1, its code in brackets. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Everything that had to be said was said; only the exit status is left. */
export class SilentExit extends Error {
  override readonly name = 'SilentExit';
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}
