import type { Principal, RecoveryReport } from '#adapter-contracts';
import type { FakeClock } from '#adapter-contracts/testing';
import { createKernel, type Kernel } from '#kernel';
import { createAuthorizer, defaultPolicy } from '#policy';
import { composeRegistry, parseExtension } from '#registry';
import { type FsStore, openFsStore } from '#stores/fs';
import type { Request } from './history.ts';
import { type SimulatedProcess, vaultRoot } from './simulated-machine.ts';

export const workspaceId = 'ws-cut';

/** `field:claim` needs a lease. */
const extension = parseExtension(
  JSON.stringify({ registry: 'field', version: '1.0.0', primitives: { claim: { portability: 'structural', lease_required: true } } }),
  'field.json',
);
const registry = composeRegistry({ extensions: [extension] });
const authorizer = createAuthorizer({ policy: defaultPolicy });

export const agent = (name: string): Principal => ({
  id: `agent:${name}`,
  kind: 'agent',
  workspaceIds: [workspaceId],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
});

export interface VaultSettings {
  readonly clock: FakeClock;
  readonly segmentBytes: number;
}

export interface OpenedVault {
  readonly store: FsStore;
  readonly kernel: Kernel;
  readonly recovered: readonly RecoveryReport[];
  readonly execute: (request: Request) => ReturnType<Kernel['execute']>;
}

/** Opens the vault in a process as `openVault` does: the disk store, a kernel on it, and recovery before anything else. */
export const openSimulatedVault = async ({ platform }: SimulatedProcess, { clock, segmentBytes }: VaultSettings): Promise<OpenedVault> => {
  const store = await openFsStore({ root: vaultRoot, workspaceId, platform, clock, lockTimeoutMs: 5_000, segmentBytes });
  const kernel = createKernel({ workspaces: { [workspaceId]: store }, registry, authorizer, clock });
  const recovered = await kernel.recover();
  return {
    store,
    kernel,
    recovered,
    execute: ({ envelope, principal, ifMatch }) => kernel.execute(envelope, { principal, ...(ifMatch === undefined ? {} : { ifMatch }) }),
  };
};
