import { readFileSync } from 'node:fs';
import { reasonOf, VaultError } from '#errors';

/**
 * Reads the principal that a trusted local caller attaches with `--principal FILE`: any JSON value, `null` for none. The kernel judges its
 * shape (§6.6); only `kind: system` is refused here unless the caller was declared trusted, because it bypasses every capability.
 */
export const readPrincipalFile = (file: string, options: { readonly trusted?: boolean } = {}): unknown => {
  const principal = parse(file);
  const kind = typeof principal === 'object' && principal !== null ? (principal as { readonly kind?: unknown }).kind : undefined;
  if (kind === 'system' && options.trusted !== true) {
    throw new VaultError(
      'forbidden',
      {},
      `The principal in '${file}' has kind 'system', which bypasses every capability: add --trusted-caller to use it.`,
    );
  }
  return principal;
};

const parse = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = reasonOf(error);
    throw new VaultError('invalid_request', {}, `'${file}' is not a readable JSON file with a principal or null: ${why}`, { cause: error });
  }
};
