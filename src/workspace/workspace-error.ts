/** Why a directory cannot be opened or made as a vault, with what mends each. Codes are append-only; messages name the file and the place. */
export const workspaceErrorCodes = {
  no_vault: 'No vault was found. Go into one, name one, or make one with `sheaf init`.',
  vault_exists: 'The directory already holds a vault. Choose another directory.',
  workspace_file_invalid: '`.ssss/workspace.json` is unreadable or malformed. Mend the named place, or restore it from version control.',
  unsupported_version: 'The vault was made for another version of the standard. Use a matching version of Sheaf.',
  extension_file_invalid: 'An extension listed in `workspace.json` is missing, not a regular file, or named for another id.',
  registry_lock_unreadable: '`.ssss/registry.lock.json` cannot be read. Restore it, or delete it to unpin the registry.',
  policy_file_invalid: '`.ssss/policy.json` is unreadable or malformed. Mend the named place; without the file the defaults hold.',
  git_failed: 'git could not make a repository. Install git, or make the vault without --git.',
} as const;

export type WorkspaceErrorCode = keyof typeof workspaceErrorCodes;

/** A vault that cannot be opened or made. Nothing was changed. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;
  /** The file or directory that is wrong. */
  readonly file: string;

  constructor(code: WorkspaceErrorCode, file: string, message: string, options?: ErrorOptions) {
    super(`${file}: ${message}`, options);
    this.code = code;
    this.file = file;
  }
}
