/** Failures that never reach the Operation Contract, with what mends each. Shown like contract codes: in brackets, and by `sheaf explain`. */
export const cliErrorCodes = {
  unreadable_input: 'A file given on the command line cannot be read, or does not hold what it should.',
  unknown_principal: 'No live principal with that id is registered in this vault. `sheaf principal ls` lists them.',
  confirmation_needed: 'Policy asks a person to confirm this change. Repeat it with --confirm on a terminal.',
  not_appendable: 'The document is of a type that is replaced, not appended to. Use `sheaf patch PATH --body FILE`.',
  in_the_way: 'Something that is no vault stands where one should be made. Choose another directory.',
  cannot_listen: 'The address or port is taken, or not of this machine. Choose another one with --port or --host.',
  no_host:
    'What --endpoint names does not answer as a host of the contract does. Check the address and the token, and that the host is running.',
  sample_failed: 'The sample could not be written. `sheaf doctor` says what is wrong with this machine.',
  identity_provider_invalid:
    '`oidc.json` in the machine state cannot be read. Mend the named place, or delete the file to serve without an identity provider.',
  model_unavailable:
    'The model does not answer, or not to these settings. The message names its address; `sheaf index embedder test` or `sheaf model test` asks it again.',
  vault_untrusted: 'Nothing acts by itself in a vault that this machine has not accepted. Look at it, then `sheaf trust`.',
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
