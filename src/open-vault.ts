// The composition root: configuration and adapters in, a wired vault out. The only file that names concrete stores.

import { join } from 'node:path';
import {
  type Authorizer,
  type Clock,
  type Embedder,
  type EventStore,
  type IdempotencyStore,
  type LeaseStore,
  type RecoveryReport,
  type Renderer,
  type ResourceCoordinator,
  systemClock,
  type Vfs,
  type WatchFiles,
} from '#adapter-contracts';
import { createVault, type Vault, type VaultNotice, type VaultParts } from '#api';
import { reasonOf } from '#errors';
import {
  createMemoryHookSecrets,
  createMemoryPrincipalRegistry,
  createMemoryRecoveryNotes,
  createMemoryRoleMemory,
  createMemoryStateFile,
  createRoleConverter,
  createRoleExpander,
  createSecrets,
  ensurePrivateDirectory,
  openHookSecrets,
  openPrincipalRegistry,
  openRecoveryNotes,
  openRoleMemory,
  openStateFile,
  type StateFile,
  vaultStateDir,
  writeFileDurably,
} from '#identity';
import { createKernel, type Kernel } from '#kernel';
import {
  type ConfiguredEmbedder,
  describeSetting,
  discoverModels,
  type EmbedderFile,
  givenEmbedder,
  ModelSettingsError,
  noEmbedder,
  openEmbedderFile,
  openLanguageModels,
} from '#models';
import { createAuthorizer, defaultPolicy, type Policy, parsePolicy, policyRequiresLease } from '#policy';
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
  scanFile,
  scanVault,
  type ProjectionView,
} from '#projections';
import { composeRegistry, parseExtension, type Registry } from '#registry';
import { type Executor, runtimeProjection, workProjection } from '#runtime';
import {
  baselineProjection,
  createEmbeddings,
  createGraphProjection,
  createSearchProjection,
  type Embeddings,
  pathsOfType,
} from '#semantic';
import { openFsStore, readPlainFiles, watchFiles } from '#stores/fs';
import { createMemoryStore } from '#stores/memory';
import {
  cautiousRegistry,
  createWorkspaceRegistryFiles,
  initWorkspace,
  loadWorkspace,
  openVaultTrust,
  saveGitHistory,
  type VaultTrust,
  type WorkspaceRegistryFiles,
  workspaceFindings,
} from '#workspace';

export { type EmbedderFile, EmbedderSettingsError, isLoopbackUrl } from '#models';
export { findVault, ignoredByGit, WorkspaceError, type WorkspaceErrorCode, workspaceErrorCodes } from '#workspace';

/** The stores behind a vault (§6.7). */
export interface VaultAdapters {
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly leases: LeaseStore;
}

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
  const embedderFile = openVaultEmbedderFile(stateDir);
  const derivedDirectory = store.writable ? join(root, '.ssss', 'derived') : null;
  const embedder = () => embedderFile.current();
  const wired = wire(options, { workspaceId, registry, policy, adapters: store, recoveryNotes, history, derivedDirectory, embedder });
  const findings = () =>
    workspaceFindings(root, workspace.file.extensions).map(({ path, reason }) => notice('configuration', `${path}: ${reason}`, path));
  const vault = createVault({
    ...wired.parts,
    root,
    hookSecrets: openHookSecrets({ stateDir, clock }),
    principals: openPrincipalRegistry({
      stateDir,
      clock,
      expandRoles: createRoleExpander({ ...wired.parts, memory: openRoleMemory(stateDir), trusted: () => trust.trusted }),
    }),
    registryFiles: trustingOwnChanges(createWorkspaceRegistryFiles(root), trust, clock),
    notices: () => [
      ...store.notices(),
      ...findings(),
      ...trustNotices(trust, cautious),
      ...wired.notices,
      ...wired.parts.history.problems().map(problem => notice('history', problem)),
      ...embeddingNotices(wired.parts.embeddings),
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
  const models = openLanguageModels({ file: open('models'), readSecret: (name, origin) => secrets.read(name, origin) });
  return {
    secrets,
    executorFile: open('executors'),
    models: {
      list: () =>
        Object.entries(models.read()).map(([name, setting]) => ({ ...describeSetting(name, setting), problem: models.obstacle(setting) })),
      async set(name, setting) {
        try {
          return { known: await models.set(name, setting) };
        } catch (error) {
          if (error instanceof ModelSettingsError) return { problem: error.message };
          throw error;
        }
      },
      open: name => models.open(name),
      resolve: name => models.resolve(name),
      discover: () => discoverModels(),
    },
  };
};

const openVaultEmbedderFile = (stateDir: string): EmbedderFile =>
  openEmbedderFile({
    stateDir,
    writeFile(path, text) {
      ensurePrivateDirectory(stateDir);
      writeFileDurably(path, text);
    },
  });

/** The setting of the embedding model that this machine uses for the vault at `root`; machine state, never part of the vault. */
export const vaultEmbedder = (options: { readonly root: string; readonly stateDir?: string }): EmbedderFile =>
  openVaultEmbedderFile(options.stateDir ?? vaultStateDir(options.root));

/**
 * The baseline projection of the vault at `root` (§11.9) as lines of JSON, made from its plain files alone: nothing is locked, written or derived, and
 * no native module is loaded. Trusts its caller with every file.
 */
export async function* exportBaseline(options: { readonly root: string; readonly private: boolean }): AsyncIterable<string> {
  const { root, registry } = loadWorkspace(options.root);
  const { vfs, events } = createMemoryStore();
  const source = { vfs: { ...vfs, ...readPlainFiles(root) }, events, workspaceId: '' };
  const files = async function* () {
    for await (const file of scanVault(source)) if (file.kind === 'markdown') yield file;
  };
  const file = async (path: string) => {
    const found = await scanFile(source, { path, kind: 'file' });
    return found.kind === 'markdown' ? found : null;
  };
  yield* baselineProjection({ files, file }, registry, options);
}

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

/** A vault that lives as long as the process: the whole contract on the memory store. */
export const openMemoryVault = async (options: MemoryVaultOptions = {}): Promise<Vault> => {
  const { clock = systemClock, workspaceId = 'ws-memory' } = options;
  const extensions = (options.extensions ?? []).map((extension, index) =>
    parseExtension(JSON.stringify(extension), `extensions[${index}]`),
  );
  const registry = composeRegistry({ extensions });
  const policy = options.policy === undefined ? defaultPolicy : parsePolicy(JSON.stringify(options.policy), 'policy', registry);
  const wired = wire(options, {
    workspaceId,
    registry,
    policy,
    adapters: createMemoryStore({ clock }),
    recoveryNotes: createMemoryRecoveryNotes(clock),
    history: { contents: createMemoryContentStore(), settings: undefined, git: null },
    derivedDirectory: null,
    embedder: () => noEmbedder,
  });
  return createVault({
    ...wired.parts,
    root: null,
    hookSecrets: createMemoryHookSecrets(clock),
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

/** Makes a vault at `root` and says where it is; see `InitOptions`. Throws `WorkspaceError('vault_exists')` rather than touch an existing one. */
export const initVault = async (options: {
  readonly root: string;
  readonly workspaceId?: string;
  readonly git?: boolean;
  readonly clock?: Clock;
}): Promise<{ readonly root: string; readonly workspaceId: string }> => {
  const { clock = systemClock, ...layout } = options;
  const { root, file } = initWorkspace({ ...layout, now: clock.now() });
  return { root, workspaceId: file.workspace_id };
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
      try {
        recoveryNotes.append(reports);
      } catch (error) {
        notices.push(notice('recovery_note', `the outcome of a recovery could not be noted in the machine state: ${reasonOf(error)}`));
      }
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

const knownConflicts = async (projections: ProjectionView): Promise<readonly string[]> => {
  await projections.level();
  return projections.read(db => pathsOfType(db, 'ssss:conflict'));
};

const embeddingNotices = ({ inForce, notices }: Embeddings): readonly VaultNotice[] => {
  const { problem } = inForce();
  return [...(problem === null ? [] : [problem]), ...notices()].map(text => notice('embedding', text));
};

/** A type that a person activated here needs no second consent on this machine. */
const trustingOwnChanges = (files: WorkspaceRegistryFiles, trust: VaultTrust, clock: Clock): WorkspaceRegistryFiles => ({
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

/** What acts by itself waits until the person here has accepted the vault (identity: a vault from elsewhere). */
const untrustedReason = ({ trusted, untrusted }: VaultTrust): string | null =>
  trusted && untrusted.length === 0 ? null : 'this machine has not accepted the vault: look at it, then `sheaf trust`';

/** `cautious`: the extensions that were not accepted when the vault was opened, on which its registry rests. */
const trustNotices = ({ trusted, untrusted }: VaultTrust, cautious: readonly string[]): readonly VaultNotice[] => {
  if (untrusted.length === 0 && cautious.length > 0)
    return [notice('untrusted', `${cautious.join(', ')}: accepted meanwhile; open the vault anew (restart the server) so that it counts`)];
  if (untrusted.length === 0) return [];
  const [what, its] = untrusted.length === 1 ? ['extension', 'its'] : ['extensions', 'their'];
  const roles = trusted ? '' : ' and roles grant nothing';
  const names = untrusted.join(', ');
  return [
    notice(
      'untrusted',
      `this machine has not accepted the ${what} ${names}: ${its} types only ask for more${roles}, until \`sheaf trust\``,
    ),
  ];
};

/** A journal that cannot be resolved stops every write, in the kernel; it must not keep anybody from reading. */
const recoverNow = async ({ kernel, notices }: Wired): Promise<void> => {
  try {
    await kernel.recover();
  } catch (error) {
    notices.push(notice('recovery_failed', reasonOf(error)));
  }
};

const notice = (kind: string, message: string, file?: string): VaultNotice => ({ kind, message, ...(file === undefined ? {} : { file }) });
