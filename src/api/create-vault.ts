import type { Authorizer, Clock, EventStore, LeaseStore, RecoveryReport, Renderer, Replayed, Vfs } from '#adapter-contracts';
import { type HookSecrets, localPrincipal, type PrincipalRegistry, type RecoveryNotes } from '#identity';
import type { Kernel } from '#kernel';
import {
  type HistoryKeeper,
  listSettled,
  readSettled,
  type ScanSource,
  scanFile,
  surveyDrift,
  traceByGraph,
  type VaultProjections,
} from '#projections';
import type { Registry } from '#registry';
import type { Embeddings } from '#semantic';
import { adoptDocuments } from './adopt-documents.ts';
import { checkVault } from './check-vault.ts';
import { toDocumentEntry, toVaultDocument } from './document-entry.ts';
import { createEventFeed } from './event-feed.ts';
import { eventFilter } from './event-filter.ts';
import { createVaultHistory } from './history/create-vault-history.ts';
import { createVaultIndex } from './index/create-vault-index.ts';
import { createVaultLinks } from './links/create-vault-links.ts';
import { logNotices } from './log-notices.ts';
import { createVaultMachine, type MachineParts } from './machine/create-vault-machine.ts';
import { createVaultMemory } from './memory/create-vault-memory.ts';
import { createVaultRendering } from './rendering/create-vault-rendering.ts';
import { createVaultGraph } from './search/create-vault-graph.ts';
import { createVaultSearch } from './search/create-vault-search.ts';
import type { DocumentEntry, EventQuery, RegistryFiles, Vault, VaultActivity, VaultDocument, VaultNotice } from './vault.ts';
import { observeKernel } from './watching/executing-paths.ts';
import { createVaultWatching, type WatchParts } from './watching/vault-watching.ts';
import { createVaultHooks } from './webhooks/create-vault-hooks.ts';
import { createVaultWork, type WorkParts } from './work/create-vault-work.ts';
import { mayDefineWork } from './work/may-define-work.ts';

/** What the composition root wires into a vault. */
export interface VaultParts {
  readonly workspaceId: string;
  readonly root: string | null;
  readonly registry: Registry;
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly leases: LeaseStore;
  readonly kernel: Kernel;
  /** The kernel's own: adopting a hand edit asks it what the same change by envelope would ask. */
  readonly authorizer: Authorizer;
  readonly principals: PrincipalRegistry;
  readonly registryFiles: RegistryFiles | null;
  /** What signs webhooks, in the machine state. */
  readonly hookSecrets: HookSecrets;
  /** The derived read models (§10): search, graph and whatever else the rooms above keep. */
  readonly projections: VaultProjections;
  /** Search by meaning (§11.3). */
  readonly embeddings: Embeddings;
  /** Presents documents in other languages; null where the host has none (§11.9). */
  readonly renderer: Renderer | null;
  readonly recoveryNotes: RecoveryNotes;
  readonly history: HistoryKeeper;
  /** Filled by the kernel's recovery callback. */
  readonly recoveries: readonly RecoveryReport[];
  readonly clock: Clock;
  notices(): readonly VaultNotice[];
  activity(): Omit<VaultActivity, 'watching'>;
  readonly watching: WatchParts;
  /** Without `executors` a worker does tasks in the ways that this machine has. */
  readonly work: Pick<WorkParts, 'mayNotAct'> & { readonly executors?: WorkParts['executors'] | undefined };
  readonly machine: MachineParts;
  close(): Promise<void>;
}

/** Makes the vault that every surface works with out of its wired parts. */
export const createVault = (parts: VaultParts): Vault => {
  const { workspaceId, registry, vfs, events, authorizer } = parts;
  const feed = createEventFeed({ events, workspaceId });
  const { kernel, isExecuting } = observeKernel(telling(parts.kernel, () => feed.poke()));
  const source: ScanSource = { vfs, events, workspaceId };
  const adoption = { ...source, registry, kernel, authorizer };
  const person = () => localPrincipal(workspaceId);
  const watching = createVaultWatching({
    ...parts.watching,
    source: adoption,
    projections: parts.projections,
    isExecuting,
    principal: person,
  });
  const notices = () => [...parts.notices(), ...watching.notices()];
  const read = async (path: string): Promise<VaultDocument | null> => {
    const stored = await readSettled(source, path);
    return stored === null ? null : toVaultDocument(path, stored, registry);
  };
  const machine = createVaultMachine({ ...parts.machine, registry, read, mayNotAct: () => parts.work.mayNotAct() });
  const vault: Vault = {
    workspaceId,
    root: parts.root,
    registry,
    specVersion: registry.specVersion,
    leases: parts.leases,
    principals: parts.principals,
    registryFiles: parts.registryFiles,
    work: createVaultWork({
      ...source,
      mayNotAct: () => parts.work.mayNotAct(),
      executors: parts.work.executors ?? machine.executors.all,
      kernel,
      leases: parts.leases,
      projections: parts.projections.of('runtime', 'work'),
      contents: parts.history.contents,
      clock: parts.clock,
      registry,
      principals: parts.principals,
      vault: () => vault,
      read,
    }),
    machine,
    hooks: createVaultHooks({
      workspaceId,
      kernel,
      events,
      clock: parts.clock,
      secrets: parts.hookSecrets,
      findTrigger: (workflowId, triggerId) => vault.work.findTrigger(workflowId, triggerId),
    }),
    recoveries: parts.recoveries,
    execute: (envelope, context) => kernel.execute(envelope, context),
    read,
    render: createVaultRendering({ vfs, registry, projections: parts.projections.of('graph'), renderer: parts.renderer, read }),
    list: (options = {}) => listDocuments(source, registry, options),
    search: createVaultSearch({ ...source, registry, projections: parts.projections.of('search'), lane: parts.embeddings }),
    graph: createVaultGraph(parts.projections.of('graph')),
    embeddings: parts.embeddings,
    events: (query = {}) => replayMatching(events, workspaceId, query),
    follow: options => feed.follow(options),
    lastCursor: () => events.end(),
    async cursorAfter(id) {
      const event = await events.findById(id);
      return event?.workspace_id === workspaceId ? events.cursorAfter(id) : null;
    },
    event: id => events.findById(id),
    trace: id => traceByGraph(source, parts.projections, id),
    index: createVaultIndex(parts.projections),
    links: createVaultLinks({ ...source, registry, kernel, leases: parts.leases, clock: parts.clock }),
    memory: createVaultMemory({ ...source, registry, kernel, clock: parts.clock, lane: parts.embeddings }),
    history: createVaultHistory({ ...source, ...parts.history, registry, kernel, now: () => parts.clock.now() }),
    async status() {
      const { rows, files } = await parts.projections.surveyed(memory => surveyDrift(source, memory));
      const work = (await mayDefineWork(parts.projections, rows)) ? (await vault.work.status()).rows : [];
      return {
        workspace_id: workspaceId,
        rows: [...rows, ...work.map(row => ({ ...row, change: null, recorded_hash: null, stored_hash: null }))],
        files,
        notices: distinct([...notices(), ...(await logNotices(events))]),
      };
    },
    adopt: (paths, principal, options) => adoptDocuments(adoption, paths, principal, options),
    watch: options => watching.watch(options),
    check: paths => checkVault(source, registry, paths === undefined || paths.length === 0 ? null : paths),
    async recover() {
      const inFlight = (await kernel.recover()).filter(report => report.outcome === 'in_flight');
      const { notes, unreadable } = parts.recoveryNotes.read();
      return { outcomes: notes, in_flight: inFlight, unreadable };
    },
    notices,
    activity: () => ({ ...parts.activity(), watching: watching.state() }),
    localPrincipal: person,
    async close() {
      feed.close();
      await watching.close();
      await parts.close();
    },
  };
  return vault;
};

/** The kernel, telling when it may have appended an event. */
const telling = (kernel: Kernel, appended: () => void): Kernel => ({
  async execute(envelope, context) {
    const response = await kernel.execute(envelope, context);
    if (response.success && response.event_id !== undefined) appended();
    return response;
  },
  async recover() {
    const reports = await kernel.recover();
    if (reports.length > 0) appended();
    return reports;
  },
});

/** What the store said when it happened, and what its index says since, may be the same. */
const distinct = (notices: readonly VaultNotice[]): readonly VaultNotice[] => [
  ...new Map(notices.map(notice => [`${notice.kind}\0${notice.message}`, notice])).values(),
];

async function* listDocuments(
  source: ScanSource,
  registry: Registry,
  options: { readonly prefix?: string; readonly type?: string; readonly after?: string },
): AsyncIterable<DocumentEntry> {
  for await (const file of listSettled(source, options)) {
    // Before reading, so that a later page costs no more than its own documents.
    if (options.after !== undefined && file.path <= options.after) continue;
    const entry = toDocumentEntry(await scanFile(source, file), registry);
    if (entry !== null && (options.type === undefined || entry.type === options.type)) yield entry;
  }
}

async function* replayMatching(events: EventStore, workspaceId: string, { cursor, ...filter }: EventQuery): AsyncIterable<Replayed> {
  const matches = eventFilter(filter);
  for await (const replayed of events.replay({ workspaceId, ...(cursor === undefined ? {} : { cursor }) })) {
    if (matches(replayed.event)) yield replayed;
  }
}
