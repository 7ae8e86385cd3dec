// What follows in an open vault from whether the person at this machine has accepted its configuration (identity: a vault from elsewhere).
import type { Clock } from '#adapter-contracts';
import type { WorkspaceRegistryFiles } from './registry-files.ts';
import type { VaultTrust } from './vault-trust.ts';

/** Why nothing may act by itself in the vault; null when it may. */
export const untrustedReason = ({ trusted, untrusted }: VaultTrust): string | null =>
  trusted && untrusted.length === 0 ? null : 'this machine has not accepted the vault: look at it, then `sheaf trust`';

/** For people. `cautious`: the extensions that were not accepted when the vault was opened, on which its registry rests. */
export const trustNotices = ({ trusted, untrusted }: VaultTrust, cautious: readonly string[]): readonly string[] => {
  if (untrusted.length === 0 && cautious.length > 0)
    return [`${cautious.join(', ')}: accepted meanwhile; open the vault anew (restart the server) so that it counts`];
  if (untrusted.length === 0) return [];
  const [what, its] = untrusted.length === 1 ? ['extension', 'its'] : ['extensions', 'their'];
  const roles = trusted ? '' : ' and roles grant nothing';
  const names = untrusted.join(', ');
  return [`this machine has not accepted the ${what} ${names}: ${its} types only ask for more${roles}, until \`sheaf trust\``];
};

/** A type that a person activated here needs no second consent on this machine. */
export const trustingOwnChanges = (files: WorkspaceRegistryFiles, trust: VaultTrust, clock: Clock): WorkspaceRegistryFiles => ({
  ...files,
  async updateExtension(id, change, options) {
    let made: { readonly before: string | null; readonly after: string } | undefined;
    const updated = await files.updateExtension(
      id,
      before => {
        const after = change(before);
        made = { before, after };
        return after;
      },
      options,
    );
    if (updated.changed && options?.dryRun !== true && made !== undefined) await trust.acceptOwnChange(id, made, clock.now());
    return updated;
  },
});
