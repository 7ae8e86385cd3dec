// The composition root: configuration and adapters in, a wired vault out. The only file that names concrete stores.

import { join } from 'node:path';
import {
  type Authorizer,
  type Clock,
  type Embedder,
  type RecoveryReport,
  type Renderer,
  type ResourceCoordinator,
  systemClock,
  type WatchFiles,
} from '#adapter-contracts';
import { createVault, type Vault, type VaultNotice, type VaultParts } from '#api';
import { reasonOf } from '#errors';
import {
  createHookSecrets,
  createMemoryPrincipalRegistry,
  createMemoryRecoveryNotes,
  createMemoryRoleMemory,
  createMemoryStateFile,
  createRoleConverter,
  createRoleExpander,
  createSecrets,
  noteRecoveries,
  openPrincipalRegistry,
  openRecoveryNotes,
  openRoleMemory,
  openStateFile,
  type StateFile,
  vaultStateDir,
  writeStateFile,
} from '#identity';
import { createKernel, type Kernel, type WorkspaceAdapters } from '#kernel';
import { type ConfiguredEmbedder, type EmbedderFile, givenEmbedder, noEmbedder, openEmbedderFile, openMachineModels } from '#models';
import { createAuthorizer, type Policy, policyRequiresLease } from '#policy';
import {
  createFsContentStore,
  createHistoryKeeper,
  createMemoryContentStore,
  createProjectionCoordinator,
  type DerivedProjection,
  eventGraph,
  findPendingConflict,
  noProjections,
  openVaultProjections,
  type Projection,
} from '#projections';
import type { Registry } from '#registry';
import { type Executor, runtimeProjection, workProjection } from '#runtime';
import {
  baselineProjection,
  createEmbeddings,
  createGraphProjection,
  createSearchProjection,
  knownConflicts,
  recordSource,
} from '#semantic';
import { openFsStore, readPlainFiles, watchFiles } from '#stores/fs';
import { createMemoryStore } from '#stores/memory';
import {
  cautiousRegistry,
  createWorkspaceRegistryFiles,
  loadWorkspace,
  memoryWorkspace,
  openVaultTrust,
  saveGitHistory,
  trustingOwnChanges,
  trustNotices,
  untrustedReason,
  workspaceFindings,
} from '#workspace';

export { type EmbedderFile, EmbedderSettingsError, isLoopbackUrl } from '#models';
export {
  findVault,
  ignoredByGit,
  initVault,
  type TrustReport,
  vaultTrust,
  WorkspaceError,
  type WorkspaceErrorCode,
  workspaceErrorCodes,
} from '#workspace';

/** The stores behind a vault (§6.7). */
export type VaultAdapters = Required<Omit<WorkspaceAdapters, 'leaseRequired'>>;

interface WiringOptions {
  readonly clock?: Clock;
  readonly resources?: ResourceCoordinator;
  /** In place of the ones that this machine is set up for: how workers do tasks (§11.8). */
  readonly executors?: readonly Executor[];
  readonly projections?: readonly Projection[];
  /** In place of the default one; capabilities and policy are then its business. */
  readonly authorizer?: Authorizer;
  /** In place of the embedding model that the machine's settings name (§11.3). */
  readonly embedder?: Embedder;
  /** Whether documents of private classes are embedded with the `embedder` given here (§11.9). Off by default. */
  readonly embedsPrivate?: boolean;
  /** Presents documents in other languages; without one, only the forms of dates, sums and words follow the vault's conventions (§11.9). */
  readonly renderer?: Renderer;
  /** Accept the pre-0.9 envelope field `actor.role` (§6.6). Off by default. */
  readonly pre09Roles?: boolean;
  /** Puts other stores around or in place of the ones opened here; for tests and embedding. */
  wrapAdapters?(adapters: VaultAdapters): VaultAdapters;
}

export interface OpenVaultOptions extends WiringOptions {
  /** A directory that holds `.ssss/`. */
  readonly root: string;
  /** Default: `vaultStateDir(root)`. */
  readonly stateDir?: string;
  readonly readOnly?: boolean;
  /** Open although the registry differs from its lock; for the commands that mend that. */
  readonly acceptRegistryDrift?: boolean;
  readonly lockTimeoutMs?: number;
  /** In place of what the operating system tells of changed files; for embedding where it tells nothing. */
  readonly watchFiles?: WatchFiles;
}

export interface MemoryVaultOptions extends WiringOptions {
  /** Default: `ws-memory`. */
  readonly workspaceId?: string;
  /** Extension registries as their files would hold them. */
  readonly extensions?: readonly object[];
  /** What `policy.json` would hold. */
  readonly policy?: object;
}

/**
 * Opens the vault on disk at `root`: reads its configuration, opens its stores and decides every commit that a dead process left half done. Throws
 * `WorkspaceError` or `RegistryError` when the configuration does not allow a start; nothing is left open then.
 *
 * @example const vault = await openVault({ root: 'my-vault' });
 */
export const openVault = async (options: OpenVaultOptions): Promise<Vault> => {
  const { clock = systemClock, readOnly = false } = options;
  const workspace = loadWorkspace(options.root, options);
  const { root, policy, extensions } = workspace;
  const stateDir = options.stateDir ?? vaultStateDir(root);
  const trust = openVaultTrust({ stateDir, extensions });
  const cautious = trust.untrusted;
  const registry = cautiousRegistry(workspace.registry, extensions, cautious);
  const workspaceId = workspace.file.workspace_id;
  const store = await openFsStore({
    root,
    workspaceId,
    clock,
    readOnly,
    ...(options.lockTimeoutMs === undefined ? {} : { lockTimeoutMs: options.lockTimeoutMs }),
  });
  const git = readOnly ? null : { root, enabled: workspace.file.git_history === true, save: (on: boolean) => saveGitHistory(root, on) };
  const history = { contents: createFsContentStore(root), settings: workspace.file.history, git };
  const recoveryNotes = openRecoveryNotes({ stateDir, clock });
  const derivedDirectory = store.writable ? join(root, '.ssss', 'derived') : null;
  const embedder = vaultEmbedder({ root, stateDir }).current;
  const wired = wire(options, { workspaceId, registry, policy, adapters: store, recoveryNotes, history, derivedDirectory, embedder });
  const vault = createVault({
    ...wired.parts,
    root,
    hookSecrets: createHookSecrets(openStateFile(stateDir, 'hooks'), clock),
    principals: openPrincipalRegistry({
      stateDir,
      clock,
      expandRoles: createRoleExpander({ ...wired.parts, memory: openRoleMemory(stateDir), trusted: () => trust.trusted }),
    }),
    registryFiles: trustingOwnChanges(createWorkspaceRegistryFiles(root), trust, clock),
    notices: () => [
      ...store.notices(),
      ...workspaceFindings(root, workspace.file.extensions).map(({ path, reason }) => notice('configuration', `${path}: ${reason}`, path)),
      ...trustNotices(trust, cautious).map(message => notice('untrusted', message)),
      ...wired.notices,
      ...wired.parts.history.problems().map(problem => notice('history', problem)),
      ...wired.parts.embeddings.notices().map(message => notice('embedding', message)),
    ],
    activity: () => store.activity(),
    watching: { watchFiles: options.watchFiles ?? watchFiles({ root }), adoptOnSave: workspace.file.adopt === 'on-save' && !readOnly },
    machine: machineParts(name => openStateFile(stateDir, name), clock),
    work: { mayNotAct: () => untrustedReason(openVaultTrust({ stateDir, extensions })), executors: options.executors },
    async close() {
      await wired.parts.projections.close();
      await wired.parts.history.stop();
      await store.close();
      await history.contents.flush();
    },
  });
  if (!readOnly) await recoverNow(wired);
  return vault;
};

/** What this machine adds to a vault: language models, programs and services, and their keys. */
const machineParts = (open: (name: string) => StateFile, clock: Clock): VaultParts['machine'] => {
  const secrets = createSecrets(open('secrets'), clock);
  const models = openMachineModels({ file: open('models'), readSecret: (name, origin) => secrets.read(name, origin) });
  return { secrets, executorFile: open('executors'), models };
};

/** The setting of the embedding model that this machine uses for the vault at `root`; machine state, never part of the vault. */
export const vaultEmbedder = (options: { readonly root: string; readonly stateDir?: string }): EmbedderFile =>
  openEmbedderFile({ stateDir: options.stateDir ?? vaultStateDir(options.root), writeFile: writeStateFile });

/**
 * The baseline projection of the vault at `root` (§11.9) as lines of JSON, made from its plain files alone: nothing is locked, written or derived, and
 * no native module is loaded. Trusts its caller with every file.
 */
export async function* exportBaseline(options: { readonly root: string; readonly private: boolean }): AsyncIterable<string> {
  const { root, registry } = loadWorkspace(options.root);
  const { vfs, events } = createMemoryStore();
  yield* baselineProjection(recordSource({ vfs: { ...vfs, ...readPlainFiles(root) }, events, workspaceId: '' }), registry, options);
}

/** A vault that lives as long as the process: the whole contract on the memory store. */
export const openMemoryVault = async (options: MemoryVaultOptions = {}): Promise<Vault> => {
  const { clock = systemClock, workspaceId = 'ws-memory' } = options;
  const wired = wire(options, {
    ...memoryWorkspace(options),
    workspaceId,
    adapters: createMemoryStore({ clock }),
    recoveryNotes: createMemoryRecoveryNotes(clock),
    history: { contents: createMemoryContentStore(), settings: undefined, git: null },
    derivedDirectory: null,
    embedder: () => noEmbedder,
  });
  return createVault({
    ...wired.parts,
    root: null,
    hookSecrets: createHookSecrets(createMemoryStateFile('hooks'), clock),
    principals: createMemoryPrincipalRegistry(
      clock,
      createRoleExpander({ ...wired.parts, memory: createMemoryRoleMemory(), trusted: () => true }),
    ),
    registryFiles: null,
    notices: () => wired.notices,
    activity: () => ({ batchSizes: new Map(), unindexedEvents: 0 }),
    watching: { watchFiles: null, adoptOnSave: false },
    machine: machineParts(createMemoryStateFile, clock),
    work: { mayNotAct: () => null, executors: options.executors },
    close: () => wired.parts.projections.close(),
  });
};

interface Wired {
  readonly kernel: Kernel;
  readonly notices: VaultNotice[];
  readonly parts: Omit<
    VaultParts,
    'root' | 'principals' | 'hookSecrets' | 'registryFiles' | 'notices' | 'activity' | 'watching' | 'work' | 'machine' | 'close'
  >;
}

/** Binds kernel and stores; what both kinds of vault have in common. */
const wire = (
  options: WiringOptions,
  input: {
    readonly workspaceId: string;
    readonly registry: Registry;
    readonly policy: Policy;
    readonly adapters: VaultAdapters;
    readonly recoveryNotes: VaultParts['recoveryNotes'];
    readonly history: Pick<Parameters<typeof createHistoryKeeper>[0], 'contents' | 'settings' | 'git'>;
    /** The embedding model that this machine uses for the vault. */
    readonly embedder: () => ConfiguredEmbedder;
    /** Absolute path of `.ssss/derived`; null keeps derived read models in memory. */
    readonly derivedDirectory: string | null;
  },
): Wired => {
  const { workspaceId, registry, policy, recoveryNotes } = input;
  const { vfs, events, idempotency, leases } = options.wrapAdapters?.(input.adapters) ?? input.adapters;
  const clock = options.clock ?? systemClock;
  const recoveries: RecoveryReport[] = [];
  const notices: VaultNotice[] = [];
  const derived = openVaultProjections({
    derivedDirectory: input.derivedDirectory,
    source: { vfs, events, workspaceId },
    projections: derivedProjections(registry),
    clock,
    onNotice: (kind, message) => {
      if (!notices.some(known => known.message === message)) notices.push(notice(kind, message));
    },
  });
  const given = options.embedder === undefined ? null : givenEmbedder(options.embedder, { embedsPrivate: options.embedsPrivate === true });
  const current = given === null ? input.embedder : () => given;
  const embeddings = createEmbeddings({ projections: derived.of('graph'), registry, source: { vfs, events, workspaceId }, current });
  const authorizer =
    options.authorizer ??
    createAuthorizer({
      policy,
      pendingConflict: (_workspace, slug) => findPendingConflict(vfs, slug, () => knownConflicts(derived.of('graph'))),
    });
  const projections =
    options.projections === undefined ? noProjections : createProjectionCoordinator(options.projections, { events, workspaceId });
  const history = createHistoryKeeper({ ...input.history, vfs, events, workspaceId });
  const kernel = createKernel({
    workspaces: { [workspaceId]: { vfs, events, idempotency, leases, leaseRequired: path => policyRequiresLease(policy, path) } },
    registry,
    authorizer,
    clock,
    projections: derived.following(history.around(projections)),
    ...(options.resources === undefined ? {} : { resources: options.resources }),
    ...(options.pre09Roles === true ? { pre09Roles: true, convertRole: createRoleConverter(workspaceId, registry) } : {}),
    onRecovery: reports => {
      recoveries.push(...reports);
      const problem = noteRecoveries(recoveryNotes, reports);
      if (problem !== null) notices.push(notice('recovery_note', problem));
    },
  });
  return {
    kernel,
    notices,
    parts: {
      workspaceId,
      registry,
      vfs,
      events,
      leases,
      kernel,
      authorizer,
      projections: derived,
      embeddings,
      renderer: options.renderer ?? null,
      recoveryNotes,
      history,
      recoveries,
      clock,
    },
  };
};

/** The derived read models of every vault (§10). */
const derivedProjections = (registry: Registry): readonly DerivedProjection[] => [
  eventGraph,
  createGraphProjection(registry),
  createSearchProjection(registry),
  runtimeProjection(),
  workProjection(registry),
];

/** A journal that cannot be resolved stops every write, in the kernel; it must not keep anybody from reading. */
const recoverNow = async ({ kernel, notices }: Wired): Promise<void> => {
  try {
    await kernel.recover();
  } catch (error) {
    notices.push(notice('recovery_failed', reasonOf(error)));
  }
};

const notice = (kind: string, message: string, file?: string): VaultNotice => ({ kind, message, ...(file === undefined ? {} : { file }) });
