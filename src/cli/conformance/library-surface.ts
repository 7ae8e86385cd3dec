import type { Vault } from '#api';
import { openMemoryVault, openVault, type VaultAdapters } from '#open-vault';
import { createDisk, filesBelow } from './disk.ts';
import { asText, type JsonMap } from './json.ts';
import { execute, libraryVault, seedDocuments } from './library-vault.ts';
import { baseline } from './parse-step.ts';
import type { Given, Scenario } from './scenario.ts';
import { sharingSurface } from './shared-vault.ts';
import { storedFiles, storeFile } from './stored-files.ts';
import { makeLinks, makeVaultDirectory, removeVaultDirectory, writeOutside } from './vault-directory.ts';
import type { Controls, RaceWorker, Surface, VaultUnderTest } from './vault-under-test.ts';
import { type AdapterWatch, createAdapterWatch, createResourceDiary } from './watched-adapters.ts';
import { workerRace } from './worker-race.ts';

/** The library over the memory store. */
export const memorySurface = (): Surface => ({
  name: 'memory',
  open: async ({ given }) => {
    const { options, watch, controls, bind } = wiring(given);
    const vault = await openMemoryVault({
      ...options,
      workspaceId: given.workspace ?? 'ws-a',
      ...(given.registry === undefined ? {} : { extensions: given.registry }),
      ...(given.policy === undefined ? {} : { policy: given.policy }),
    });
    const real = stores(watch);
    const files = () => storedFiles(real);
    const outside = (path: string, text: string | null) => storeFile(real, path, text === null ? null : Buffer.from(text));
    for (const [path, content] of Object.entries(given.files ?? {})) await storeFile(real, path, Buffer.from(content));
    const others = await otherWorkspaces(given, real);
    const under = libraryVault({ vault, files, outside, close: () => vault.close() });
    const routed: VaultUnderTest = {
      ...under,
      controls,
      submit: request => execute(others.get(asText((request.envelope as JsonMap | null)?.workspace_id)) ?? vault, request),
    };
    return ready(routed, vault, given, bind);
  },
  close: async () => undefined,
});

/** The library over the file store. */
export const fsSurface = (): Surface => sharingSurface('fs', openOnDisk);

const openOnDisk = async ({ given }: Scenario): Promise<VaultUnderTest> => {
  const root = await makeVaultDirectory(given);
  try {
    const { options, controls, bind } = wiring(given);
    const vault = await openVault({ ...options, root, stateDir: `${root}.state` });
    const close = async () => {
      await vault.close();
      await removeVaultDirectory(root);
    };
    const under = libraryVault({ vault, files: () => filesBelow(root), outside: (path, text) => writeOutside(root, path, text), close });
    const onDisk = { ...under, controls, disk: createDisk(root), race: (workers: readonly RaceWorker[]) => workerRace(root, workers) };
    const opened = await ready(onDisk, vault, given, bind);
    await makeLinks(root, given);
    return opened;
  } catch (error) {
    await removeVaultDirectory(root);
    throw error;
  }
};

const ready = async (under: VaultUnderTest, vault: Vault, given: Given, bind: (vault: Vault) => void): Promise<VaultUnderTest> => {
  await seedDocuments(vault, given);
  bind(vault);
  await under.newEvents();
  return under;
};

/** Options that put watched adapters, the clock and the fakes of a scenario into a vault. Faults count from `bind` on, after the documents are there. */
const wiring = (given: Given) => {
  const noLeaseStore = given.no_lease_store === true;
  const watch = createAdapterWatch({ noLeaseStore });
  const diary = createResourceDiary(watch, given.resources !== 'none');
  let now = given.clock === undefined ? null : Date.parse(given.clock);
  let open: Vault | null = null;
  const failing = given.faults?.some(fault => fault.adapter === 'authorizer') === true;
  const options = {
    clock: { now: () => new Date(now ?? Date.now()) },
    wrapAdapters: (adapters: VaultAdapters) => watch.wrap(adapters),
    ...(given.resources === undefined ? {} : { resources: diary.coordinator }),
    ...(given.projection === true
      ? { projections: [{ id: 'watched', apply: () => watch.note('projections', 'dispatch'), reset: () => undefined }] }
      : {}),
    ...(given.pre_0_9_roles === true ? { pre09Roles: true } : {}),
    ...(failing ? { authorizer: { authorize: () => Promise.reject(new Error('injected fault in authorizer.authorize')) } } : {}),
  };
  const controls: Controls = {
    arm: fault => watch.arm(fault),
    calls: () => watch.calls(),
    resources: () => diary.entries(),
    forgetIdempotency: () => watch.forgetIdempotency(),
    advance: seconds => {
      now = (now ?? Date.now()) + seconds * 1000;
    },
    interleave: (place, envelope) => watch.after(place, async () => open?.execute(envelope, { principal: baseline })),
  };
  const bind = (vault: Vault): void => {
    open = vault;
    for (const fault of given.faults ?? []) watch.arm(fault);
    watch.calls();
    diary.entries();
  };
  return { options, watch, controls, bind };
};

const stores = (watch: AdapterWatch): VaultAdapters => {
  if (watch.real === null) throw new Error('the vault did not wrap its adapters');
  return watch.real;
};

// Further workspaces of the same host: their own documents, the same log and keys.
const otherWorkspaces = async (given: Given, real: VaultAdapters): Promise<ReadonlyMap<string, Vault>> => {
  const vaults = new Map<string, Vault>();
  for (const workspaceId of (given.workspaces ?? []).slice(1)) {
    const wrapAdapters = (own: VaultAdapters): VaultAdapters => ({ ...own, events: real.events, idempotency: real.idempotency });
    vaults.set(workspaceId, await openMemoryVault({ workspaceId, wrapAdapters }));
  }
  return vaults;
};
