import { type Clock, systemClock } from '#adapter-contracts';
import { vaultStateDir } from '#identity';
import { loadWorkspace } from './load-workspace.ts';
import { openVaultTrust } from './vault-trust.ts';

/** What `sheaf trust` shows and accepts. */
export interface TrustReport {
  readonly trusted: boolean;
  /** Each loaded extension, with the capabilities its types ask for in place of their own names. */
  readonly extensions: readonly {
    readonly id: string;
    readonly version: string;
    readonly hash: string;
    readonly trusted: boolean;
    readonly types: readonly { readonly type: string; readonly capabilities: Readonly<Record<string, readonly string[]>> }[];
  }[];
  /** Accepts the configuration as it is shown here. */
  accept(): Promise<void>;
}

/**
 * What a vault's configuration wants from this machine and whether the person here has accepted it (identity: a vault from elsewhere). Until then
 * roles grant nothing and extensions cannot make an action cheaper.
 */
export const vaultTrust = (options: { readonly root: string; readonly stateDir?: string; readonly clock?: Clock }): TrustReport => {
  const { root, extensions } = loadWorkspace(options.root, { acceptRegistryDrift: true });
  const trust = openVaultTrust({ stateDir: options.stateDir ?? vaultStateDir(root), extensions });
  return {
    trusted: trust.trusted && trust.untrusted.length === 0,
    extensions: extensions.map(({ id, hash, extension }) => ({
      id,
      version: extension.version,
      hash,
      trusted: !trust.untrusted.includes(id),
      types: extension.definitions.map(({ type, capabilities }) => ({ type, capabilities })),
    })),
    accept: () => trust.accept((options.clock ?? systemClock).now()),
  };
};
