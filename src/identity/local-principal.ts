import { userInfo } from 'node:os';
import type { Principal } from '#adapter-contracts';

/** The login that the operating system knows for this process's uid. `USER` and `LOGNAME` are never asked: anyone can set them. */
const login = (): string => {
  try {
    return userInfo().username;
  } catch {
    // Containers often run under a uid without a password entry.
    return String(process.getuid?.() ?? 'unknown');
  }
};

/** The person at this terminal: whoever may write the vault's files may use every capability on them (§6.6). */
export const localPrincipal = (workspaceId: string): Principal => ({
  id: `local:${login()}`,
  kind: 'human',
  workspaceIds: [workspaceId],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
});
