import type { Random } from '#adapter-contracts/testing';
import { checkLeases } from './check-leases.ts';
import { attemptsByKey, checkVault, fail } from './check-vault.ts';
import { type History, send } from './history.ts';
import { type OpenedVault, openSimulatedVault, type VaultSettings } from './opened-vault.ts';
import type { BeforeCall, SimulatedMachine } from './simulated-machine.ts';
import type { Lie } from './watched-file-system.ts';

/** A vault that nobody has open, and what had been asked and told by then. */
export interface Moment {
  readonly machine: SimulatedMachine;
  readonly history: History;
}

export interface RecoverySettings extends VaultSettings {
  readonly random: Random;
  readonly before?: BeforeCall;
  readonly lie?: Lie;
}

/** What recovery found to do, for proofs that something was tested. */
export interface Recovered {
  readonly rolledBack: number;
  readonly replayed: number;
}

/** Opens what is left, compares it with the history, sends every request once more and compares again. Throws a `Violation`. */
export const recoverAndRepeat = async ({ machine, history }: Moment, settings: RecoverySettings): Promise<Recovered> => {
  const vault = await openSimulatedVault(machine.start(settings), settings);
  for (const { outcome, path } of vault.recovered) {
    if (outcome === 'conflict' || outcome === 'in_flight') fail(`recovery of ${path} says ${outcome}`);
  }
  const committed = await checkVault(vault, history);
  const leases = await checkLeases(vault, history, settings.clock.now(), machine.leasesComplete);
  const eventIds = new Map([...committed].map(([key, event]) => [key, event.event_id]));
  const replayed = await repeatAll(vault, history, { eventIds, leases }, settings.random);
  const left = await vault.kernel.recover();
  if (left.length > 0) fail(`recovery finds work again: ${JSON.stringify(left)}`);
  await checkVault(vault, history);
  await checkLog(vault);
  await vault.store.close();
  return { rolledBack: vault.recovered.filter(({ outcome }) => outcome === 'rolled_back').length, replayed };
};

const mostAtOnce = 4;

/** What stood in the vault before the requests were repeated: event ids by key, and the leases that live. */
interface Before {
  readonly eventIds: ReadonlyMap<string, string>;
  readonly leases: ReadonlySet<string>;
}

/** Every request again under its key, some at once; returns how many were in the log already. */
const repeatAll = async (vault: OpenedVault, history: History, { eventIds, leases }: Before, random: Random): Promise<number> => {
  const requests = [...attemptsByKey(history).values()].map(([attempt]) => attempt!.request);
  while (requests.length > 0) {
    const group = requests.splice(0, 1 + Math.floor(random() * mostAtOnce));
    await Promise.all(
      group.map(async request => {
        const key = request.envelope.idempotency_key;
        const response = await send(history, request, vault.execute, () => true);
        const isReplay = response?.success === true && response.replay === true;
        const said = `${key} (${eventIds.get(key) ?? 'no event'}) repeated says ${JSON.stringify(response)}`;
        if ((isReplay ? response.event_id : undefined) !== eventIds.get(key)) fail(said);
        const { lease_id } = request.envelope;
        if (isReplay || lease_id === undefined || leases.has(lease_id)) return;
        if (response?.success !== false || response.error.code !== 'lease_conflict') fail(`${said}, and its lease is gone`);
      }),
    );
  }
  return eventIds.size;
};

/** Torn writes may have left marks in the log; missing segments and repeated events are none. */
const checkLog = async ({ store }: OpenedVault): Promise<void> => {
  for (const { file, reason } of await store.events.damage()) {
    if (!/^(NUL bytes|not JSON|not valid UTF-8|not an event record|half a line at the end)/.test(reason)) fail(`${file}: ${reason}`);
  }
};
