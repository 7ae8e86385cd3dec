import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Names a vault on this machine by where it stands, so that a cloned or copied vault never inherits the rights granted to the original. */
export const vaultId = (root: string): string => createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16);

/**
 * Where this machine keeps what must not travel with the vault: principals, recovery notes (readings: machine state).
 * `$SHEAF_STATE_DIR/<vault id>`, else `$XDG_STATE_HOME/sheaf/<vault id>`, else `~/.local/state/sheaf/<vault id>`. Creates nothing.
 */
export const vaultStateDir = (root: string, environment: NodeJS.ProcessEnv = process.env): string => {
  const directory = join(stateBase(environment), vaultId(root));
  const inside = relative(realpathSync(root), directory);
  if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
    throw new Error(
      `the machine state '${directory}' would lie inside the vault and travel with it: point SHEAF_STATE_DIR outside '${root}'`,
    );
  }
  return directory;
};

const stateBase = (environment: NodeJS.ProcessEnv): string => {
  if (environment.SHEAF_STATE_DIR) return resolve(environment.SHEAF_STATE_DIR);
  // The XDG rules say that a relative value is to be ignored.
  const xdg = environment.XDG_STATE_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state'), 'sheaf');
};
